#include "compiler/Codegen/Kernels/Attend/AttendInterval.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace attnc {

Value AttendIntervals::indexAt(LoopBuilder &loops, RegionVectoriser &point, Value term) {
  OpBuilder &builder = loops.builder;
  if (term.getType().isIndex()) {
    LaneIndex index = point.evaluateIndex(term);
    if (index.base)
      return index.base;
  }
  Value value = point.evaluate(term);
  if (value.getType().isIndex())
    return value;
  if (value.getType().isInteger(1))
    return arith::IndexCastUIOp::create(builder, loops.location, builder.getIndexType(), value);
  return arith::IndexCastOp::create(builder, loops.location, builder.getIndexType(), value);
}

std::optional<Interval> AttendIntervals::of(Value value) {
  if (!varies(value)) {
    Value same = indexAt(loops, first, value);
    return Interval{same, same};
  }
  if (auto index = dyn_cast<BlockArgument>(value))
    return ofIndex(index);
  Operation *op = value.getDefiningOp();
  if (isa<arith::IndexCastOp>(op))
    return of(op->getOperand(0));
  if (isa<arith::MaxSIOp, arith::MinSIOp>(op))
    return ofExtremum(op);
  bool mayWrap = isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op) && !value.getType().isIndex();
  if (op->getNumOperands() != 2 || value.getType().isInteger(1) || mayWrap)
    return std::nullopt;
  Value left = op->getOperand(0), right = op->getOperand(1);
  if (isa<arith::MulIOp>(op))
    return varies(right) ? ofProduct(right, left) : ofProduct(left, right);
  if (isa<arith::FloorDivSIOp, arith::RemSIOp>(op))
    return ofQuotient(left, right, isa<arith::RemSIOp>(op));
  if (!isa<arith::AddIOp, arith::SubIOp>(op))
    return std::nullopt;
  auto a = of(left), b = of(right);
  if (!a || !b)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return Interval{loops.add(a->least, b->least), loops.add(a->greatest, b->greatest)};
  return Interval{loops.sub(a->least, b->greatest), loops.sub(a->greatest, b->least)};
}

Interval AttendIntervals::ofIndex(BlockArgument index) {
  attn::AttendOp op = problem.op;
  SmallVector<unsigned> dimensions(problem.rowDims);
  if (ofKeys) {
    dimensions.clear();
    for (unsigned key = 0; key < op.getNumKeys(); ++key)
      dimensions.push_back(op.getNumOuter() + key);
  }
  Block *block = index.getOwner();
  Value isSame = loops.boolean(true);
  for (unsigned dimension : dimensions) {
    BlockArgument each = block->getArgument(dimension);
    Value least = first.evaluateIndex(each).base, greatest = last.evaluateIndex(each).base;
    if (each != index) {
      isSame = loops.both(isSame, loops.compare(arith::CmpIPredicate::eq, least, greatest));
      continue;
    }
    if (dimension == dimensions.front())
      return {least, greatest};
    Value size =
        dimension < op.getNumOuter() ? op.getOuterSizes()[dimension] : op.getKeySizes()[dimension - op.getNumOuter()];
    Value end = loops.add(indexAt(loops, first, size), -1);
    return {loops.choose(isSame, least, loops.constant(0)), loops.choose(isSame, greatest, end)};
  }
  llvm_unreachable("an index of neither rows nor keys");
}

std::optional<Interval> AttendIntervals::ofProduct(Value varying, Value factor) {
  auto a = varies(factor) ? std::nullopt : of(varying);
  if (!a)
    return std::nullopt;
  Value by = indexAt(loops, first, factor), low = loops.mul(a->least, by), high = loops.mul(a->greatest, by);
  return Interval{loops.min(low, high), loops.max(low, high)};
}

std::optional<Interval> AttendIntervals::ofQuotient(Value dividend, Value divisor, bool isRemainder) {
  auto by = getConstantIntValue(divisor);
  auto a = by && *by > 0 ? of(dividend) : std::nullopt;
  if (!a)
    return std::nullopt;
  auto divide = [&](Value value) {
    return loops.builder.createOrFold<arith::FloorDivSIOp>(loops.location, value, loops.constant(*by));
  };
  Interval quotient = {divide(a->least), divide(a->greatest)};
  if (!isRemainder)
    return quotient;
  // The remainder of a negative number is negative.
  Value isOne = loops.compare(arith::CmpIPredicate::eq, quotient.least, quotient.greatest), zero = loops.constant(0);
  isOne = loops.both(isOne, loops.compare(arith::CmpIPredicate::sge, a->least, zero));
  Value begin = loops.mul(quotient.least, *by);
  Value least = loops.choose(loops.less(a->least, zero), loops.constant(1 - *by), zero);
  return Interval{loops.choose(isOne, loops.sub(a->least, begin), least),
                  loops.choose(isOne, loops.sub(a->greatest, begin), loops.constant(*by - 1))};
}

std::optional<Interval> AttendIntervals::ofExtremum(Operation *op) {
  auto a = of(op->getOperand(0)), b = of(op->getOperand(1));
  if (!a || !b)
    return std::nullopt;
  if (isa<arith::MaxSIOp>(op))
    return Interval{loops.max(a->least, b->least), loops.max(a->greatest, b->greatest)};
  return Interval{loops.min(a->least, b->least), loops.min(a->greatest, b->greatest)};
}

} // namespace attnc
