#include "compiler/Codegen/Formula/StoredElement.h"
#include "compiler/Codegen/Interface/Kernel.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace attnc {

/// The same scalar or vector of other elements.
static Type withElement(Type type, Type element) {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

Value widenStored(OpBuilder &builder, Location location, Value loaded) {
  if (!isNarrow(getElementTypeOrSelf(loaded.getType())))
    return loaded;
  Type wide = withElement(loaded.getType(), builder.getF32Type());
  return arith::ExtFOp::create(builder, location, wide, loaded);
}

Value narrowForStore(OpBuilder &builder, Location location, Value value, Type element) {
  if (!isNarrow(element))
    return value;
  return arith::TruncFOp::create(builder, location, withElement(value.getType(), element), value);
}

} // namespace attnc
