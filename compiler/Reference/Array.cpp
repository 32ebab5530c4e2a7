#include "compiler/Reference/Array.h"
#include "compiler/ElementTypes/ElementType.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cassert>

using namespace attnc::reference;
using llvm::ArrayRef;

Array::Array(Element element, ArrayRef<int64_t> shape, double fill)
    : element(element), shape(shape), values(elementsOf(shape), fill) {}

Array::Array(Element element, ArrayRef<int64_t> shape, std::vector<double> values)
    : element(element), shape(shape), values(std::move(values)) {
  assert(static_cast<int64_t>(this->values.size()) == elementsOf(shape) && "as many values as the shape says");
}

int64_t Array::offsetOf(ArrayRef<int64_t> indices) const {
  int64_t offset = 0;
  for (auto [index, size] : llvm::zip_equal(indices, shape)) {
    if (index < 0 || index >= size)
      return -1;
    offset = offset * size + index;
  }
  return offset;
}

int64_t attnc::reference::elementsOf(ArrayRef<int64_t> shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

std::string attnc::reference::describe(Element element, ArrayRef<int64_t> shape) {
  const char *names[] = {"f32", "i32", "i1", "index"};
  return llvm::formatv("{0}[{1:$[, ]}]", names[static_cast<int>(element)],
                       llvm::make_range(shape.begin(), shape.end()));
}

llvm::FailureOr<Element> attnc::reference::elementOf(mlir::Type type) {
  type = mlir::getElementTypeOrSelf(type);
  if (type.isF32() || isNarrow(type)) // the kind is the same for all storage widths
    return Element::F32;
  if (type.isInteger(32))
    return Element::I32;
  if (type.isInteger(1))
    return Element::I1;
  if (type.isIndex())
    return Element::Index;
  return llvm::failure();
}

llvm::LogicalResult attnc::reference::forEachIndex(ArrayRef<int64_t> shape,
                                                   llvm::function_ref<llvm::LogicalResult(ArrayRef<int64_t>)> visit) {
  if (elementsOf(shape) == 0)
    return llvm::success();
  llvm::SmallVector<int64_t> indices(shape.size(), 0);
  while (true) {
    if (llvm::failed(visit(indices)))
      return llvm::failure();
    int64_t dimension = static_cast<int64_t>(shape.size()) - 1;
    while (dimension >= 0 && ++indices[dimension] == shape[dimension])
      indices[dimension--] = 0;
    if (dimension < 0)
      return llvm::success();
  }
}
