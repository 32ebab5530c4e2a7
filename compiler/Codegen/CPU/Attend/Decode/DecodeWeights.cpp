#include "compiler/Codegen/CPU/Attend/Decode/DecodeWeights.h"
#include "compiler/Analysis/DataSubscripts.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <limits>

using namespace mlir;

namespace attnc {

void DecodeWeights::start() const {
  Normaliser::Carriers start = problem.normaliser->start(code(), {});
  for (int64_t row = 0; row < shape.rows; ++row) {
    loops.store(start.largest, tiles.maxima, {loops.constant(row * schedule.lanes)});
    loops.store(start.sum, tiles.sums, {loops.constant(row * schedule.lanes)});
  }
}

void DecodeWeights::compute(const DecodeBlock &block, bool masked) const {
  for (int64_t row = 0; row < shape.rows; ++row)
    computeRow(block, row, masked);
}

RegionVectoriser DecodeWeights::bindPairs(const DecodeBlock &block, int64_t row, Value key) const {
  RegionVectoriser pairs = rows.points[row];
  bindKeyIndex(problem, pairs, 0, steppingIndex(loops.add(block.firstKey, key)));
  pairs.setActiveLanes(loops.min(loops.constant(schedule.lanes), loops.sub(block.count, key)));
  return pairs;
}

/// Reports out-of-range subscripts in a formula of selected pairs.
void DecodeWeights::checkSelected(RegionVectoriser pair, Region &formula, Value selected, ValueRange sizes) const {
  if (!readsByData(formula))
    return;
  pair.restrictLanes(selected);
  pair.checkSubscripts(formula, sizes);
}

/// The scores of a vector of keys; the normaliser's `droppedScore` where the pair is dropped. Stores the flags of
/// selected pairs.
Value DecodeWeights::score(RegionVectoriser pair, Value offset, bool masked) const {
  attn::AttendOp op = problem.op;
  for (auto [product, tile] : llvm::zip(problem.products, tiles.scores))
    pair.bindValue(attn::ReduceOp(product.op).getResult(), loops.load(tile, {offset}));
  Value score = pair.broadcast(pair.evaluate(AttendProblem::yielded(op.getScore())));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (double scale = problem.normaliser->scoreScale(); scale != 1)
    score = loops.mulf(score, loops.splat(scale));
  Value unmasked = pair.laneMask();
  if (masked)
    unmasked = loops.both(unmasked, loops.splat(pair.evaluate(AttendProblem::yielded(op.getMask()))));
  checkSelected(pair, op.getScore(), unmasked);
  score = loops.choose(unmasked, score, loops.splat(-infinity));
  Value selected = loops.compare(arith::CmpFPredicate::UNE, score, loops.splat(-infinity));
  checkSelected(pair, op.getValue(), selected, rows.values);
  loops.store(loops.widen(selected), tiles.selected, {offset});
  double dropped = problem.normaliser->droppedScore();
  return dropped == -infinity ? score : loops.choose(selected, score, loops.splat(dropped));
}

/// Stores the scores of a row. Returns its largest score so far, lane by lane.
Value DecodeWeights::raiseMaximum(const DecodeBlock &block, int64_t row, bool masked) const {
  Value before = loops.load(tiles.maxima, {loops.constant(row * schedule.lanes)});
  auto compute = [&](Value key, ValueRange carried) {
    RegionVectoriser pair = bindPairs(block, row, key);
    Value offset = tiles.pairOffset(key, row), scores = score(pair, offset, masked);
    loops.store(scores, tiles.scores[0], {offset});
    return Values{loops.maxKeepingFirst(carried[0], scores)};
  };
  return loops.loop(loops.constant(0), block.count, loops.constant(schedule.lanes), {before}, compute)[0];
}

void DecodeWeights::computeRow(const DecodeBlock &block, int64_t row, bool masked) const {
  Value state = loops.constant(row * schedule.lanes), before = loops.load(tiles.maxima, {state});
  Value largest = raiseMaximum(block, row, masked), total = loops.load(tiles.sums, {state});
  if (problem.normaliser->usesMaximum()) {
    largest = loops.splat(vector::ReductionOp::create(loops.builder, loops.location, vector::CombiningKind::MAXNUMF,
                                                      largest, arith::FastMathFlags::nnan)
                              .getResult());
    Value correction = problem.normaliser->correction(code(), before, largest);
    total = loops.mulf(total, correction);
    loops.store(largest, tiles.maxima, {state});
    DecodeValues{*this}.correct(row, correction);
  }
  Value lanes = loops.constant(schedule.lanes);
  total = loops.loop(loops.constant(0), block.count, lanes, {total}, [&](Value key, ValueRange carried) {
    attn::AttendOp op = problem.op;
    Value offset = tiles.pairOffset(key, row), score = loops.load(tiles.scores[0], {offset});
    auto [weight, sum] = problem.normaliser->weigh(code(), score, {largest, carried[0]});
    if (problem.hasWeight()) {
      RegionVectoriser pair = bindPairs(block, row, key);
      pair.bindValue(op.getWeight().getArgument(0), weight);
      if (readsByData(op.getWeight()))
        pair.restrictLanes(loops.isSet(loops.load(tiles.selected, {offset})));
      weight = pair.broadcast(pair.evaluate(AttendProblem::yielded(op.getWeight())));
    }
    loops.store(weight, tiles.scores[0], {offset});
    return Values{sum};
  })[0];
  loops.store(total, tiles.sums, {state});
}

} // namespace attnc
