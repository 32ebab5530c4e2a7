#include "compiler/Codegen/CPU/Loops/ArgmaxReduction.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;

namespace attnc {

/// Whether `comparison` holds if `term` is larger than `best` (true) or smaller (false); nothing for other comparisons.
static std::optional<bool> prefersLargest(Operation *comparison, Value term, Value best) {
  std::optional<bool> greater;
  if (auto real = dyn_cast<arith::CmpFOp>(comparison)) {
    if (real.getPredicate() == arith::CmpFPredicate::OGT || real.getPredicate() == arith::CmpFPredicate::OLT)
      greater = real.getPredicate() == arith::CmpFPredicate::OGT;
  } else if (auto integer = dyn_cast<arith::CmpIOp>(comparison)) {
    if (integer.getPredicate() == arith::CmpIPredicate::sgt || integer.getPredicate() == arith::CmpIPredicate::slt)
      greater = integer.getPredicate() == arith::CmpIPredicate::sgt;
  }
  if (!greater)
    return std::nullopt;
  if (comparison->getOperand(0) == term && comparison->getOperand(1) == best)
    return greater;
  if (comparison->getOperand(0) == best && comparison->getOperand(1) == term)
    return !*greater;
  return std::nullopt;
}

/// The index of the last loop as an i32.
static bool isLastIndex(Value value, linalg::GenericOp op) {
  auto cast = value.getDefiningOp<arith::IndexCastOp>();
  auto index = cast ? cast.getIn().getDefiningOp<linalg::IndexOp>() : linalg::IndexOp();
  return index && index.getDim() + 1 == op.getNumLoops() && value.getType().isInteger(32);
}

std::optional<ArgmaxReduction> matchArgmax(linalg::GenericOp op) {
  if (op.getNumResults() != 2 || op.getNumReductionLoops() != 1 ||
      op.getIteratorTypesArray().back() != utils::IteratorType::reduction)
    return std::nullopt;
  Operation *yield = op.getBody()->getTerminator();
  auto best = yield->getOperand(0).getDefiningOp<arith::SelectOp>();
  auto index = yield->getOperand(1).getDefiningOp<arith::SelectOp>();
  if (!best || !index || best.getCondition() != index.getCondition() || !best.getCondition().getDefiningOp() ||
      best.getFalseValue() != op.getRegionOutputArgs()[0] || index.getFalseValue() != op.getRegionOutputArgs()[1] ||
      !isLastIndex(index.getTrueValue(), op))
    return std::nullopt;
  auto isLargest =
      prefersLargest(best.getCondition().getDefiningOp(), best.getTrueValue(), op.getRegionOutputArgs()[0]);
  if (!isLargest)
    return std::nullopt;
  return ArgmaxReduction{*isLargest, best.getTrueValue(), index.getTrueValue()};
}

namespace {

class ArgmaxSweep {
public:
  using Evaluate = llvm::function_ref<BestAndIndex(const LanePoint &)>;
  ArgmaxSweep(OpBuilder &b, Location loc, SweepShape shape, const ArgmaxReduction &fold, Evaluate evaluate)
      : b(b), loc(loc), shape(shape), fold(fold), element(Value(fold.term).getType()), evaluate(evaluate) {}

  BestAndIndex run(Value lower, Value upper, BestAndIndex first) {
    SmallVector<Value> start = {neutralElement(b, loc, kind(), VectorType::get({shape.lanes}, element)),
                                neutralElement(b, loc, attn::Combine::Add, indexType())};
    SmallVector<Value> starts;
    for (int64_t copy = 0; copy < shape.unroll; ++copy)
      starts.append(start);
    int64_t block = shape.lanes * shape.unroll;
    Value length = b.createOrFold<arith::SubIOp>(loc, upper, lower);
    Value rest = b.createOrFold<arith::RemUIOp>(loc, length, constant(block));
    Value end = b.createOrFold<arith::SubIOp>(loc, upper, rest);
    SmallVector<Value> copies = loop(b, loc, lower, end, block, starts, [&](Value at, ValueRange carried) {
      SmallVector<Value> next;
      for (int64_t copy = 0; copy < shape.unroll; ++copy) {
        Value base = b.createOrFold<arith::AddIOp>(loc, at, constant(copy * shape.lanes));
        next.append(step({{base, 1, {}, true}, {}}, carried[2 * copy], carried[2 * copy + 1]));
      }
      return next;
    });
    SmallVector<Value> best = {copies[0], copies[1]};
    for (int64_t copy = 1; copy < shape.unroll; ++copy)
      best = merge(best, {copies[2 * copy], copies[2 * copy + 1]});
    best = loop(b, loc, end, upper, shape.lanes, best, [&](Value at, ValueRange carried) {
      Value left = arith::SubIOp::create(b, loc, upper, at);
      Value active = arith::MinSIOp::create(b, loc, left, constant(shape.lanes));
      return step({{at, 1, {}, true}, active}, carried[0], carried[1]);
    });
    BestAndIndex found = acrossLanes(best[0], best[1]);
    Value takes = better(found.best, first.best);
    return {arith::SelectOp::create(b, loc, takes, found.best, first.best),
            arith::SelectOp::create(b, loc, takes, found.index, first.index)};
  }

private:
  attn::Combine kind() const { return fold.isLargest ? attn::Combine::Max : attn::Combine::Min; }
  VectorType indexType() { return VectorType::get({shape.lanes}, b.getI32Type()); }
  Value constant(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value spread(Value value) {
    if (isa<VectorType>(value.getType()))
      return value;
    return vector::BroadcastOp::create(b, loc, VectorType::get({shape.lanes}, value.getType()), value);
  }

  Value better(Value a, Value than) {
    if (isa<FloatType>(element))
      return arith::CmpFOp::create(b, loc, fold.isLargest ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, a,
                                   than);
    return arith::CmpIOp::create(b, loc, fold.isLargest ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt, a,
                                 than);
  }
  Value equal(Value a, Value c) {
    if (isa<FloatType>(element))
      return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, a, c);
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, a, c);
  }

  /// Later indices are higher: only a better element replaces the best.
  SmallVector<Value> step(const LanePoint &point, Value best, Value index) {
    auto [term, at] = evaluate(point);
    term = spread(term);
    Value takes = better(term, best);
    if (point.active) {
      auto truths = VectorType::get({shape.lanes}, b.getI1Type());
      takes = arith::AndIOp::create(b, loc, takes, vector::CreateMaskOp::create(b, loc, truths, point.active));
    }
    return {arith::SelectOp::create(b, loc, takes, term, best),
            arith::SelectOp::create(b, loc, takes, spread(at), index)};
  }

  SmallVector<Value> merge(ArrayRef<Value> a, ArrayRef<Value> c) {
    Value lower = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, c[1], a[1]);
    Value tie = arith::AndIOp::create(b, loc, equal(c[0], a[0]), lower);
    Value takes = arith::OrIOp::create(b, loc, better(c[0], a[0]), tie);
    return {arith::SelectOp::create(b, loc, takes, c[0], a[0]), arith::SelectOp::create(b, loc, takes, c[1], a[1])};
  }

  BestAndIndex acrossLanes(Value bests, Value laneIndices) {
    Value best = combineLanes(b, loc, kind(), bests);
    Value holds = equal(bests, spread(best));
    Value none = neutralElement(b, loc, attn::Combine::Min, indexType());
    Value candidates = arith::SelectOp::create(b, loc, holds, laneIndices, none);
    return {best, combineLanes(b, loc, attn::Combine::Min, candidates)};
  }

  OpBuilder &b;
  Location loc;
  SweepShape shape;
  ArgmaxReduction fold;
  Type element;
  Evaluate evaluate;
};

} // namespace

BestAndIndex sweepArgmax(OpBuilder &b, Location location, Value lower, Value upper, SweepShape shape,
                         const ArgmaxReduction &fold, BestAndIndex start,
                         llvm::function_ref<BestAndIndex(const LanePoint &)> evaluate) {
  return ArgmaxSweep(b, location, shape, fold, evaluate).run(lower, upper, start);
}

} // namespace attnc
