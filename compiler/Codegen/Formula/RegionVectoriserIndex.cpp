// Index arithmetic of RegionVectoriser: affine in the lane as long as it can be, then vectors of i32.
#include "compiler/Codegen/Formula/RegionVectoriser.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attnc {

LaneIndex RegionVectoriser::uniform(int64_t constant) {
  return {arith::ConstantIndexOp::create(builder, location, constant), 0, {}, true};
}

static std::optional<int64_t> constantOf(const LaneIndex &index) {
  APInt constant;
  if (index.isUniform() && matchPattern(index.base, m_ConstantInt(&constant)))
    return constant.getSExtValue();
  return std::nullopt;
}

Value RegionVectoriser::toI32(Value index) {
  if (index.getType().isInteger(32))
    return index;
  return builder.createOrFold<arith::IndexCastOp>(location, builder.getI32Type(), index);
}

Value RegionVectoriser::laneNumbers(int64_t step) {
  SmallVector<int32_t> numbers;
  for (int64_t lane = 0; lane < lanes; ++lane)
    numbers.push_back(lane * step);
  auto type = VectorType::get({lanes}, builder.getI32Type());
  return arith::ConstantOp::create(builder, location, DenseElementsAttr::get(type, ArrayRef<int32_t>(numbers)));
}

Value RegionVectoriser::broadcast(const LaneIndex &index) {
  if (index.lanes)
    return index.lanes;
  Value base = broadcast(toI32(index.base));
  return index.step ? builder.createOrFold<arith::AddIOp>(location, base, laneNumbers(index.step)) : base;
}

LaneIndex RegionVectoriser::add(const LaneIndex &a, const LaneIndex &b) {
  bool proved = a.proved && b.proved;
  if (a.lanes || b.lanes)
    return {{}, 0, arith::AddIOp::create(builder, location, broadcast(a), broadcast(b)), proved};
  return {builder.createOrFold<arith::AddIOp>(location, a.base, b.base), a.step + b.step, {}, proved};
}

LaneIndex RegionVectoriser::subtract(const LaneIndex &a, const LaneIndex &b) {
  bool proved = a.proved && b.proved;
  if (a.lanes || b.lanes)
    return {{}, 0, arith::SubIOp::create(builder, location, broadcast(a), broadcast(b)), proved};
  return {builder.createOrFold<arith::SubIOp>(location, a.base, b.base), a.step - b.step, {}, proved};
}

LaneIndex RegionVectoriser::scale(const LaneIndex &a, int64_t factor) {
  if (factor == 1)
    return a;
  if (a.lanes)
    return {{}, 0, arith::MulIOp::create(builder, location, a.lanes, splat(factor, a.lanes.getType())), a.proved};
  return {builder.createOrFold<arith::MulIOp>(location, a.base, uniform(factor).base), a.step * factor, {}, a.proved};
}

LaneIndex RegionVectoriser::multiply(const LaneIndex &a, const LaneIndex &b) {
  if (auto factor = constantOf(b))
    return scale(a, *factor);
  if (auto factor = constantOf(a))
    return scale(b, *factor);
  bool proved = a.proved && b.proved;
  if (a.isUniform() && b.isUniform())
    return {arith::MulIOp::create(builder, location, a.base, b.base), 0, {}, proved};
  return {{}, 0, arith::MulIOp::create(builder, location, broadcast(a), broadcast(b)), proved};
}

LaneIndex RegionVectoriser::floorDivide(const LaneIndex &a, const LaneIndex &b) {
  bool proved = a.proved && b.proved;
  if (auto divisor = constantOf(b); divisor && *divisor == 1)
    return a;
  auto divisor = constantOf(b);
  // floor((base + l s) / c) = floor(base / c) + l s/c where c divides s.
  if (!a.lanes && b.isUniform() && (a.step == 0 || (divisor && *divisor > 0 && a.step % *divisor == 0)))
    return {builder.createOrFold<arith::FloorDivSIOp>(location, a.base, b.base),
            a.step ? a.step / *divisor : 0,
            {},
            proved};
  return {{}, 0, arith::FloorDivSIOp::create(builder, location, broadcast(a), broadcast(b)), proved};
}

LaneIndex RegionVectoriser::evaluateAffine(AffineExpr expression, ArrayRef<LaneIndex> dims,
                                           ArrayRef<LaneIndex> symbols) {
  if (auto dim = dyn_cast<AffineDimExpr>(expression))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expression))
    return symbols[symbol.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return uniform(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expression);
  LaneIndex a = evaluateAffine(binary.getLHS(), dims, symbols), b = evaluateAffine(binary.getRHS(), dims, symbols);
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

LaneIndex RegionVectoriser::evaluateIndex(Value index) {
  if (auto known = indices.find(index); known != indices.end())
    return known->second;
  assert(index.getDefiningOp() && "an index of the formula is not bound");
  LaneIndex result = evaluateIndexOp(index.getDefiningOp());
  indices[index] = result;
  return result;
}

LaneIndex RegionVectoriser::evaluateIndexOp(Operation *op) {
  if (APInt constant; matchPattern(op, m_ConstantInt(&constant)))
    return uniform(constant.getSExtValue());
  if (auto index = dyn_cast<linalg::IndexOp>(op))
    return iterations.find(op->getParentOp())->second[index.getDim()];
  if (auto dim = dyn_cast<tensor::DimOp>(op))
    return {sizeOf(dim.getSource(), *dim.getConstantIndex()), 0, {}, true};
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op)) {
    Subscripts operands;
    for (Value operand : apply.getMapOperands())
      operands.push_back(evaluateIndex(operand));
    ArrayRef<LaneIndex> all = operands;
    unsigned numDims = apply.getAffineMap().getNumDims();
    return evaluateAffine(apply.getAffineMap().getResult(0), all.take_front(numDims), all.drop_front(numDims));
  }
  if (auto select = dyn_cast<arith::SelectOp>(op))
    return evaluateSelect(select);
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op)) { // a subscript that comes from data
    Value value = evaluate(op->getOperand(0));
    if (isa<VectorType>(value.getType()))
      return {{}, 0, value, false};
    return {clone(op, value, builder.getIndexType()), 0, {}, false};
  }
  return evaluateIndexArithmetic(op);
}

LaneIndex RegionVectoriser::evaluateSelect(arith::SelectOp op) {
  Value condition = evaluate(op.getCondition());
  LaneIndex a = evaluateIndex(op.getTrueValue()), b = evaluateIndex(op.getFalseValue());
  if (!isa<VectorType>(condition.getType()) && !a.lanes && !b.lanes && a.step == b.step)
    return {arith::SelectOp::create(builder, location, condition, a.base, b.base), a.step, {}, false};
  return {{}, 0, arith::SelectOp::create(builder, location, condition, broadcast(a), broadcast(b)), false};
}

/// A number that is the same throughout the kernel: products with it are affine.
static bool isSize(Value index) {
  if (auto argument = dyn_cast<BlockArgument>(index))
    return isa<func::FuncOp>(argument.getOwner()->getParentOp());
  return matchPattern(index, m_Constant()) || index.getDefiningOp<tensor::DimOp>();
}

LaneIndex RegionVectoriser::evaluateIndexArithmetic(Operation *op) {
  LaneIndex a = evaluateIndex(op->getOperand(0)), b = evaluateIndex(op->getOperand(1));
  if (isa<arith::AddIOp>(op))
    return add(a, b);
  if (isa<arith::SubIOp>(op))
    return subtract(a, b);
  bool affine = isSize(op->getOperand(0)) || isSize(op->getOperand(1));
  LaneIndex result;
  if (isa<arith::MulIOp>(op)) {
    result = multiply(a, b);
  } else if (isa<arith::FloorDivSIOp>(op) && constantOf(b).value_or(0) > 0) {
    result = floorDivide(a, b);
  } else {
    bool scalar = a.isUniform() && b.isUniform();
    Value left = scalar ? a.base : broadcast(a), right = scalar ? b.base : broadcast(b);
    if (!matchPattern(right, m_Constant()) &&
        !isa<arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(op)) {
      // No division by zero, even in a lane that nobody wants.
      Value isZero =
          arith::CmpIOp::create(builder, location, arith::CmpIPredicate::eq, right, splat(0, right.getType()));
      right = arith::SelectOp::create(builder, location, isZero, splat(1, right.getType()), right);
    }
    Value value = clone(op, {left, right}, left.getType());
    result = scalar ? LaneIndex{value, 0, {}, true} : LaneIndex{{}, 0, value, true};
    affine = affine && isa<arith::FloorDivSIOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
                           arith::CeilDivSIOp, arith::CeilDivUIOp>(op);
  }
  result.proved = affine && a.proved && b.proved;
  return result;
}

static bool isUnsigned(arith::CmpIPredicate predicate) {
  return predicate == arith::CmpIPredicate::ult || predicate == arith::CmpIPredicate::ule ||
         predicate == arith::CmpIPredicate::ugt || predicate == arith::CmpIPredicate::uge;
}

Value RegionVectoriser::compareIndices(arith::CmpIOp op) {
  LaneIndex a = evaluateIndex(op.getLhs()), b = evaluateIndex(op.getRhs());
  arith::CmpIPredicate predicate = op.getPredicate();
  bool affine = !a.lanes && !b.lanes && !isUnsigned(predicate);
  if ((a.isUniform() && b.isUniform()) || (affine && a.step == b.step))
    return arith::CmpIOp::create(builder, location, predicate, a.base, b.base);
  Value left, right;
  if (affine) { // lanes * (sa - sb) against b - a: one broadcast
    left = laneNumbers(a.step - b.step);
    right = broadcast(toI32(builder.createOrFold<arith::SubIOp>(location, b.base, a.base)));
  } else {
    left = broadcast(a);
    right = broadcast(b);
  }
  return arith::CmpIOp::create(builder, location, predicate, left, right);
}

/// A size of a tensor: of its buffer, or of what computes it.
Value RegionVectoriser::sizeOf(Value tensor, int64_t dimension) {
  if (Value memref = buffers.lookup(tensor))
    return builder.createOrFold<memref::DimOp>(location, memref, dimension);
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dimension))
    return uniform(type.getDimSize(dimension)).base;
  Operation *op = tensor.getDefiningOp();
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return evaluateIndex(empty.getDynamicSize(dimension)).base;
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return evaluateIndex(cast<Value>(slice.getMixedSizes()[dimension])).base;
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return evaluateIndex(cast<Value>(expand.getMixedOutputShape()[dimension])).base;
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return sizeOf(cast.getSource(), dimension);
  auto destination = cast<DestinationStyleOpInterface>(op);
  return sizeOf(destination.getTiedOpOperand(cast<OpResult>(tensor))->get(), dimension);
}

} // namespace attnc
