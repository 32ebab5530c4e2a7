#include "compiler/Reference/Affine.h"
#include "compiler/Reference/OpEvaluation.h"
#include <numeric>
#include <optional>

using namespace mlir;
using namespace attnc::reference;

namespace {
/// A tensor or scalar operand with the map from loop indices to its subscripts.
struct Operand {
  const Array *array;
  AffineMap map;
  /// Stride of each loop index in elements; null unless every subscript is a plain loop index.
  std::optional<llvm::SmallVector<int64_t>> strides;

  Operand(const Array &array, AffineMap map) : array(&array), map(map) {
    if (!llvm::all_of(map.getResults(), [](AffineExpr each) { return isa<AffineDimExpr>(each); }))
      return;
    strides.emplace(map.getNumDims(), 0);
    int64_t stride = 1;
    for (auto [expression, size] : llvm::reverse(llvm::zip_equal(map.getResults(), array.shape))) {
      (*strides)[cast<AffineDimExpr>(expression).getPosition()] += stride;
      stride *= size;
    }
  }

  /// Offset of the element at a point of the iteration space, or -1 outside of the tensor.
  int64_t offsetAt(ArrayRef<int64_t> point) const {
    if (strides) // in range: loopSizes() uses the sizes of the subscripted dimensions
      return std::inner_product(point.begin(), point.end(), strides->begin(), int64_t(0));
    int64_t offset = 0;
    for (auto [expression, size] : llvm::zip_equal(map.getResults(), array->shape)) {
      int64_t index = evaluate(expression, point);
      if (index < 0 || index >= size)
        return -1;
      offset = offset * size + index;
    }
    return offset;
  }
};
} // namespace

/// The number of iterations of each loop: the size of a dimension that a plain loop index subscripts.
static LogicalResult loopSizes(Operation *op, ArrayRef<Operand> operands, llvm::SmallVectorImpl<int64_t> &sizes,
                               Fault &fault) {
  sizes.assign(operands.front().map.getNumDims(), -1);
  for (const Operand &operand : operands)
    for (auto [expression, found] : llvm::zip_equal(operand.map.getResults(), operand.array->shape)) {
      auto loop = dyn_cast<AffineDimExpr>(expression);
      if (!loop)
        continue;
      int64_t &size = sizes[loop.getPosition()];
      if (size >= 0 && size != found)
        return fault.at(op, "operands disagree on the size of loop " + Twine(loop.getPosition()) + ": " + Twine(size) +
                                " and " + Twine(found));
      size = found;
    }
  for (auto [number, size] : llvm::enumerate(sizes))
    if (size < 0)
      return fault.at(op, "no operand gives the size of loop " + Twine(number));
  return success();
}

/// Evaluates any linalg op on tensors as a loop nest around its body; results start as the output operands.
FailureOr<std::vector<SummedArray>> attnc::reference::evaluate(linalg::LinalgOp op, const OpContext &context) {
  if (!op.hasPureTensorSemantics())
    return context.fault.at(op, "expected operands that are tensors");
  std::vector<Array> results;
  for (Value init : op.getDpsInits())
    results.push_back(context.arrayOf(init));
  llvm::SmallVector<Operand> operands;
  auto maps = op.getIndexingMapsArray();
  for (OpOperand *input : op.getDpsInputOperands())
    operands.emplace_back(context.arrayOf(input->get()), maps[input->getOperandNumber()]);
  for (auto [number, result] : llvm::enumerate(results))
    operands.emplace_back(result, maps[op.getNumDpsInputs() + number]);

  llvm::SmallVector<int64_t> sizes;
  auto body = context.formula(op->getRegion(0));
  if (failed(body) || failed(loopSizes(op, operands, sizes, context.fault)))
    return failure();
  llvm::SmallVector<double> arguments(operands.size());
  llvm::SmallVector<int64_t> offsets(operands.size());
  auto compute = [&](ArrayRef<int64_t> point) -> LogicalResult {
    for (auto [operand, argument, offset] : llvm::zip_equal(operands, arguments, offsets)) {
      offset = operand.offsetAt(point);
      if (offset < 0)
        return context.fault.at(op,
                                "a subscript is outside of " + describe(operand.array->element, operand.array->shape));
      argument = operand.array->values[offset];
    }
    auto yielded = body->evaluate(ArrayRef<double>(arguments).take_front(body->numArguments()), point);
    if (failed(yielded))
      return failure();
    for (auto [result, offset, value] :
         llvm::zip_equal(results, ArrayRef<int64_t>(offsets).take_back(results.size()), *yielded))
      result.values[offset] = value;
    return success();
  };
  if (failed(forEachIndex(sizes, compute)))
    return failure();
  int64_t terms = context.termsOfReductionsIn(op);
  for (auto [size, kind] : llvm::zip_equal(sizes, op.getIteratorTypesArray()))
    if (kind == utils::IteratorType::reduction)
      terms = std::max<int64_t>(terms, 1) * size;
  std::vector<SummedArray> summed;
  for (Array &result : results)
    summed.push_back({std::move(result), terms});
  return summed;
}
