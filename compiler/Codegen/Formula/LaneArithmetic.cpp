#include "compiler/Codegen/Formula/LaneArithmetic.h"
#include "compiler/Codegen/Formula/Divisibility.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attnc {

std::optional<int64_t> constantOf(const LaneIndex &index) {
  APInt constant;
  if (index.isUniform() && matchPattern(index.base, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

//===------------------------------------------ lanes -------------------------------------------------------------===//

VectorType LaneArithmetic::vectorOf(Type element) const {
  return VectorType::get({lanes}, element.isIndex() ? builder.getI32Type() : element);
}

Value LaneArithmetic::splat(int64_t constant, Type type) const {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attribute = isa<FloatType>(element) ? TypedAttr(builder.getFloatAttr(element, constant))
                                                : TypedAttr(builder.getIntegerAttr(element, constant));
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, Attribute(attribute));
  return arith::ConstantOp::create(builder, location, attribute);
}

Value LaneArithmetic::broadcast(Value scalarOrVector) const {
  Type type = scalarOrVector.getType();
  if (isa<VectorType>(type))
    return scalarOrVector;
  if (type.isIndex())
    scalarOrVector = toI32(scalarOrVector);
  Attribute constant;
  if (matchPattern(scalarOrVector, m_Constant(&constant)))
    return arith::ConstantOp::create(builder, location, DenseElementsAttr::get(vectorOf(type), constant));
  return vector::BroadcastOp::create(builder, location, vectorOf(type), scalarOrVector);
}

static bool isWide(const LaneIndex &index) {
  return index.lanes && getElementTypeOrSelf(index.lanes.getType()).isInteger(64);
}

LaneIndex LaneArithmetic::widened(const LaneIndex &index) const {
  if (isWide(index))
    return index;
  Type wide = builder.getI64Type();
  Value result;
  if (index.lanes) {
    result = arith::ExtSIOp::create(builder, location, vectorOf(wide), index.lanes);
  } else {
    result = vector::BroadcastOp::create(builder, location, vectorOf(wide),
                                         builder.createOrFold<arith::IndexCastOp>(location, wide, index.base));
    SmallVector<int64_t> numbers;
    for (int64_t lane = 0; lane < lanes; ++lane)
      numbers.push_back(lane * index.step);
    auto steps = DenseElementsAttr::get(vectorOf(wide), ArrayRef<int64_t>(numbers));
    if (index.step)
      result = arith::AddIOp::create(builder, location, result, arith::ConstantOp::create(builder, location, steps));
  }
  return {{}, 0, result, index.proved};
}

std::pair<Value, Value> LaneArithmetic::vectorsOf(const LaneIndex &a, const LaneIndex &b) const {
  if (isWide(a) || isWide(b))
    return {widened(a).lanes, widened(b).lanes};
  return {broadcast(a), broadcast(b)};
}

Value LaneArithmetic::broadcast(const LaneIndex &index) const {
  if (isWide(index))
    return arith::TruncIOp::create(builder, location, vectorOf(builder.getI32Type()), index.lanes);
  if (index.lanes)
    return index.lanes;
  Value base = broadcast(toI32(index.base));
  return index.step ? builder.createOrFold<arith::AddIOp>(location, base, laneNumbers(index.step)) : base;
}

Value LaneArithmetic::both(Value a, Value b) const {
  return a && b ? arith::AndIOp::create(builder, location, a, b).getResult() : a ? a : b;
}

Value LaneArithmetic::toI32(Value index) const {
  if (index.getType().isInteger(32))
    return index;
  return builder.createOrFold<arith::IndexCastOp>(location, builder.getI32Type(), index);
}

Value LaneArithmetic::laneNumbers(int64_t step) const {
  SmallVector<int32_t> numbers;
  for (int64_t lane = 0; lane < lanes; ++lane)
    numbers.push_back(lane * step);
  auto type = VectorType::get({lanes}, builder.getI32Type());
  return arith::ConstantOp::create(builder, location, DenseElementsAttr::get(type, ArrayRef<int32_t>(numbers)));
}

//===------------------------------------------ indices -----------------------------------------------------------===//

LaneIndex LaneArithmetic::uniform(int64_t constant) const {
  return {arith::ConstantIndexOp::create(builder, location, constant), 0, {}, true};
}

template <typename Op>
static LaneIndex combined(const LaneArithmetic &lanes, const LaneIndex &a, const LaneIndex &b, bool proved) {
  auto [left, right] = lanes.vectorsOf(a, b);
  return {{}, 0, Op::create(lanes.builder, lanes.location, left, right), proved};
}

LaneIndex LaneArithmetic::add(const LaneIndex &a, const LaneIndex &b) const {
  bool proved = a.proved && b.proved;
  if (a.lanes || b.lanes)
    return combined<arith::AddIOp>(*this, a, b, proved);
  return {builder.createOrFold<arith::AddIOp>(location, a.base, b.base), a.step + b.step, {}, proved};
}

LaneIndex LaneArithmetic::subtract(const LaneIndex &a, const LaneIndex &b) const {
  bool proved = a.proved && b.proved;
  if (a.lanes || b.lanes)
    return combined<arith::SubIOp>(*this, a, b, proved);
  return {builder.createOrFold<arith::SubIOp>(location, a.base, b.base), a.step - b.step, {}, proved};
}

LaneIndex LaneArithmetic::scale(const LaneIndex &a, int64_t factor) const {
  if (factor == 1)
    return a;
  if (a.lanes)
    return {{}, 0, arith::MulIOp::create(builder, location, a.lanes, splat(factor, a.lanes.getType())), a.proved};
  return {builder.createOrFold<arith::MulIOp>(location, a.base, uniform(factor).base), a.step * factor, {}, a.proved};
}

LaneIndex LaneArithmetic::multiply(const LaneIndex &a, const LaneIndex &b) const {
  if (auto factor = constantOf(b))
    return scale(a, *factor);
  if (auto factor = constantOf(a))
    return scale(b, *factor);
  bool proved = a.proved && b.proved;
  if (a.isUniform() && b.isUniform())
    return {arith::MulIOp::create(builder, location, a.base, b.base), 0, {}, proved};
  return combined<arith::MulIOp>(*this, a, b, proved);
}

/// x for a sum x + k whose floor((x + k) / divisor) is x / divisor: the divisor divides x, and 0 <= k < divisor. All
/// heads of a group then have the same quotient, so that their common keys are loaded once.
static Value withoutRemainder(Value dividend, int64_t divisor) {
  APInt rest;
  auto sum = dividend.getDefiningOp<arith::AddIOp>();
  bool isRest = sum && matchPattern(sum.getRhs(), m_ConstantInt(&rest)) && !rest.isNegative() && rest.slt(divisor);
  return isRest && isMultipleOf(sum.getLhs(), divisor) ? sum.getLhs() : dividend;
}

LaneIndex LaneArithmetic::floorDivide(const LaneIndex &a, const LaneIndex &b) const {
  bool proved = a.proved && b.proved;
  std::optional<int64_t> divisor = constantOf(b);
  if (divisor == 1)
    return a;
  // floor((base + l s) / c) = floor(base / c) + l s/c where c divides s.
  if (!a.lanes && b.isUniform() && (a.step == 0 || (divisor && *divisor > 0 && a.step % *divisor == 0)))
    return {builder.createOrFold<arith::FloorDivSIOp>(location, divisor ? withoutRemainder(a.base, *divisor) : a.base,
                                                      b.base),
            a.step ? a.step / *divisor : 0,
            {},
            proved};
  return combined<arith::FloorDivSIOp>(*this, a, b, proved);
}

LaneIndex LaneArithmetic::affine(AffineExpr expression, ArrayRef<LaneIndex> dims, ArrayRef<LaneIndex> symbols) const {
  if (auto dim = dyn_cast<AffineDimExpr>(expression))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return symbols[symbol.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return uniform(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expression);
  LaneIndex a = affine(binary.getLHS(), dims, symbols), b = affine(binary.getRHS(), dims, symbols);
  switch (expression.getKind()) {
  case AffineExprKind::Add:
    return add(a, b);
  case AffineExprKind::Mul:
    return multiply(a, b);
  case AffineExprKind::Mod:
    return subtract(a, multiply(floorDivide(a, b), b));
  case AffineExprKind::FloorDiv:
    return floorDivide(a, b);
  default: // ceil(a / b) = -floor(-a / b)
    return scale(floorDivide(scale(a, -1), b), -1);
  }
}

LaneIndex LaneArithmetic::select(Value condition, const LaneIndex &a, const LaneIndex &b) const {
  if (!isa<VectorType>(condition.getType()) && !a.lanes && !b.lanes && a.step == b.step)
    return {arith::SelectOp::create(builder, location, condition, a.base, b.base), a.step, {}, false};
  auto [left, right] = vectorsOf(a, b);
  return {{}, 0, arith::SelectOp::create(builder, location, condition, left, right), false};
}

static bool isUnsigned(arith::CmpIPredicate predicate) {
  return predicate == arith::CmpIPredicate::ult || predicate == arith::CmpIPredicate::ule ||
         predicate == arith::CmpIPredicate::ugt || predicate == arith::CmpIPredicate::uge;
}

/// Whether an index is a constant that leaves no room in 32 bits for other indices.
static bool isLarge(const LaneIndex &index) { return std::abs(constantOf(index).value_or(0)) >= int64_t(1) << 30; }

Value LaneArithmetic::compare(arith::CmpIPredicate predicate, const LaneIndex &a, const LaneIndex &b) const {
  bool isAffine = !a.lanes && !b.lanes && !isUnsigned(predicate);
  if (!(a.isUniform() && b.isUniform()) && (isLarge(a) || isLarge(b)))
    return compare(predicate, widened(a), widened(b));
  if ((a.isUniform() && b.isUniform()) || (isAffine && a.step == b.step))
    return arith::CmpIOp::create(builder, location, predicate, a.base, b.base);
  Value left, right;
  if (isAffine) { // lanes * (sa - sb) against b - a: one broadcast
    left = laneNumbers(a.step - b.step);
    right = broadcast(toI32(builder.createOrFold<arith::SubIOp>(location, b.base, a.base)));
  } else {
    std::tie(left, right) = vectorsOf(a, b);
  }
  return arith::CmpIOp::create(builder, location, predicate, left, right);
}

} // namespace attnc
