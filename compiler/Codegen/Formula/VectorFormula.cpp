#include "compiler/Codegen/Formula/VectorFormula.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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
  if (instructions.scale && isa<VectorType>(type)) {
    // One vscalefps.
    auto call = LLVM::CallIntrinsicOp::create(builder, location, type, builder.getStringAttr("llvm.ldexp"),
                                              ValueRange{x.value, n.value});
    return {this, call.getResult(0)};
  }
  // Two factors: 2^n alone may overflow when x 2^n does not.
  Whole half = n >> 1;
  return x * powerOfTwo(half) * powerOfTwo(n - half);
}

std::optional<VectorFormula::Split> VectorFormula::split(Real x) {
  auto vector = dyn_cast<VectorType>(type);
  if (!instructions.split || !vector || vector.getNumElements() * vector.getElementTypeBitWidth() != 512)
    return std::nullopt;
  auto constant = [&](Type type, int64_t number) -> Value {
    return arith::ConstantOp::create(builder, location, builder.getIntegerAttr(type, number));
  };
  // The interval [1, 2), and NaN for negative numbers but -0.
  constexpr int64_t significandControl = 0b1100, currentRounding = 4;
  Type i32 = builder.getI32Type();
  Value unused = real(0).value, allLanes = constant(builder.getI16Type(), -1),
        rounding = constant(i32, currentRounding);
  auto call = [&](StringRef name, ValueRange operands) -> Real {
    auto intrinsic = builder.getStringAttr("llvm.x86.avx512.mask." + name + ".ps.512");
    return {this, LLVM::CallIntrinsicOp::create(builder, location, type, intrinsic, operands).getResult(0)};
  };
  return Split{call("getexp", {x.value, unused, allLanes, rounding}),
               call("getmant", {x.value, constant(i32, significandControl), unused, allLanes, rounding})};
}

VectorFormula::Truth VectorFormula::Whole::anyBit(int64_t mask) const {
  Value bits = formula->make<arith::AndIOp>(value, formula->whole(mask).value);
  return {formula, formula->make<arith::CmpIOp>(arith::CmpIPredicate::ne, bits, formula->whole(0).value)};
}

SmallVector<Value> VectorFormula::laneByLane(Value x, TypeRange results, ElementFunction one) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector)
    return one(builder, location, x);
  SmallVector<Value> before;
  for (Type result : results)
    before.push_back(splatConstant(builder, location, result, builder.getZeroAttr(getElementTypeOrSelf(result))));
  auto index = [&](int64_t number) { return arith::ConstantIndexOp::create(builder, location, number).getResult(); };
  auto loop = scf::ForOp::create(builder, location, index(0), index(vector.getNumElements()), index(1), before,
                                 [&](OpBuilder &b, Location at, Value lane, ValueRange former) {
                                   Value element = vector::ExtractOp::create(b, at, x, OpFoldResult(lane));
                                   SmallVector<Value> with;
                                   for (auto [value, vector] : llvm::zip_equal(one(b, at, element), former))
                                     with.push_back(vector::InsertOp::create(b, at, value, vector, OpFoldResult(lane)));
                                   scf::YieldOp::create(b, at, with);
                                 });
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> VectorFormula::replaceRare(Truth condition, ValueRange values, Real x, ElementFunction other) {
  Value any = condition.value;
  if (isa<VectorType>(type))
    any = vector::ReductionOp::create(builder, location, vector::CombiningKind::OR, any);
  Value never = arith::ConstantOp::create(builder, location, builder.getBoolAttr(false));
  auto branch = scf::IfOp::create(
      builder, location, LLVM::ExpectOp::create(builder, location, any, never).getResult(),
      [&](OpBuilder &b, Location at) {
        SmallVector<Value> replaced;
        OpBuilder::InsertionGuard guard(builder);
        builder.restoreInsertionPoint(b.saveInsertionPoint());
        for (auto [replacement, value] : llvm::zip_equal(laneByLane(x.value, values.getTypes(), other), values))
          replaced.push_back(make<arith::SelectOp>(condition.value, replacement, value));
        scf::YieldOp::create(builder, at, replaced);
      },
      [&](OpBuilder &b, Location at) { scf::YieldOp::create(b, at, values); });
  return SmallVector<Value>(branch.getResults());
}

VectorFormula VectorFormula::inDouble() {
  auto vector = dyn_cast<VectorType>(type);
  Type wide = vector ? Type(vector.clone(builder.getF64Type())) : Type(builder.getF64Type());
  return VectorFormula(builder, location, wide, instructions);
}

} // namespace attnc
