#include "compiler/Codegen/Formula/Combiner.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attnc {

Value combine(OpBuilder &b, Location location, attn::Combine kind, Value a, Value x) {
  bool real = isa<FloatType>(getElementTypeOrSelf(a.getType()));
  auto contract = arith::FastMathFlags::contract;
  switch (kind) {
  case attn::Combine::Add:
    return real ? Value(arith::AddFOp::create(b, location, a, x, contract))
                : Value(arith::AddIOp::create(b, location, a, x));
  case attn::Combine::Mul:
    return real ? Value(arith::MulFOp::create(b, location, a, x)) : Value(arith::MulIOp::create(b, location, a, x));
  case attn::Combine::Max:
    return real ? Value(arith::MaximumFOp::create(b, location, a, x))
                : Value(arith::MaxSIOp::create(b, location, a, x));
  case attn::Combine::Min:
    return real ? Value(arith::MinimumFOp::create(b, location, a, x))
                : Value(arith::MinSIOp::create(b, location, a, x));
  }
  llvm_unreachable("unknown combiner");
}

Value neutralElement(OpBuilder &b, Location location, attn::Combine kind, Type type) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attribute;
  if (auto real = dyn_cast<FloatType>(element)) {
    double neutral[] = {0, 1, -INFINITY, INFINITY};
    attribute = b.getFloatAttr(real, neutral[static_cast<int>(kind)]);
  } else {
    unsigned width = element.getIntOrFloatBitWidth();
    APInt neutral[] = {APInt(width, 0), APInt(width, 1), APInt::getSignedMinValue(width),
                       APInt::getSignedMaxValue(width)};
    attribute = b.getIntegerAttr(element, neutral[static_cast<int>(kind)]);
  }
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, Attribute(attribute));
  return arith::ConstantOp::create(b, location, attribute);
}

} // namespace attnc
