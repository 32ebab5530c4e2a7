#include "compiler/Codegen/Formula/VectorFormula.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace attnc {

static Value splatConstant(OpBuilder &builder, Location location, Type type, Attribute element) {
  auto vector = dyn_cast<VectorType>(type);
  TypedAttr value = vector ? cast<TypedAttr>(DenseElementsAttr::get(vector, element)) : cast<TypedAttr>(element);
  return arith::ConstantOp::create(builder, location, type, value);
}

VectorFormula::Real VectorFormula::real(double constant) {
  return {this, splatConstant(builder, location, type, builder.getFloatAttr(getElementTypeOrSelf(type), constant))};
}

Type VectorFormula::wholeType() {
  Type element = builder.getIntegerType(getElementTypeOrSelf(type).getIntOrFloatBitWidth());
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(vector.clone(element)) : element;
}

VectorFormula::Whole VectorFormula::whole(int64_t constant) {
  Type whole = wholeType();
  return {this, splatConstant(builder, location, whole, builder.getIntegerAttr(getElementTypeOrSelf(whole), constant))};
}

VectorFormula::Real VectorFormula::polynomial(Real x, ArrayRef<double> coefficients) {
  Real sum = real(coefficients.front());
  for (double coefficient : coefficients.drop_front())
    sum = fma(sum, x, real(coefficient));
  return sum;
}

VectorFormula::Real VectorFormula::extremumOrNan(Real a, Real b, bool greatest) {
  auto flags = arith::FastMathFlags::nsz;
  if (greatest)
    return {this, arith::MaximumFOp::create(builder, location, b.value, a.value, flags)};
  return {this, arith::MinimumFOp::create(builder, location, b.value, a.value, flags)};
}

VectorFormula::Real VectorFormula::scale(Real x, Whole n) {
  if (hasAvx512 && isa<VectorType>(type)) {
    // One vscalefps.
    auto call = LLVM::CallIntrinsicOp::create(builder, location, type, builder.getStringAttr("llvm.ldexp"),
                                              ValueRange{x.value, n.value});
    return {this, call.getResult(0)};
  }
  // Two factors, for 2^n alone overflows where x 2^n does not.
  Whole half = n.shiftRight(1);
  return x * powerOfTwo(half) * powerOfTwo(n - half);
}

VectorFormula::Truth VectorFormula::anyBit(Whole x, int64_t mask) {
  Value bits = make<arith::AndIOp>(x.value, whole(mask).value);
  return {make<arith::CmpIOp>(arith::CmpIPredicate::ne, bits, whole(0).value)};
}

VectorFormula VectorFormula::inDouble() {
  auto vector = dyn_cast<VectorType>(type);
  Type wide = vector ? Type(vector.clone(builder.getF64Type())) : Type(builder.getF64Type());
  return VectorFormula(builder, location, wide, hasAvx512);
}

} // namespace attnc
