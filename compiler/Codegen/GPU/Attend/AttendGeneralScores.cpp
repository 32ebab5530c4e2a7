// Scores and attention weights of a block of keys: a thread has one key and all rows of its warp.
#include "compiler/Analysis/DataSubscripts.h"
#include "compiler/Codegen/GPU/Attend/AttendGeneral.h"
#include "compiler/Codegen/GPU/Tile/TileBuilder.h"
#include "compiler/Codegen/Kernels/Attend/AttendBinding.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace attnc {

static constexpr double infinity = std::numeric_limits<double>::infinity();

//===------------------------------------------ pairs -------------------------------------------------------------===//

/// The formulas of each row, bound to one key.
std::vector<RegionVectoriser> AttendGeneral::bindPairs(int64_t lanes, Value key) {
  std::vector<RegionVectoriser> pairs;
  for (int64_t row = 0; row < shape.rows; ++row)
    pairs.push_back(rows.bindKey(lanes == 1 ? rowPoints[row] : rowPoint(lanes, row), key));
  return pairs;
}

static LoopBuilder::Values evaluateForAll(std::vector<RegionVectoriser> &pairs, Value value) {
  auto tile = llvm::map_to_vector(pairs, [](RegionVectoriser &pair) { return &pair; });
  return RegionVectoriser::evaluateTogether(tile, value);
}

LoopBuilder::Values AttendGeneral::evaluateForRows(std::vector<RegionVectoriser> &pairs, Region &formula) {
  return evaluateForAll(pairs, AttendProblem::yielded(formula));
}

/// The mask of the thread's pairs; `all` (i1) is true if no pair of the block is masked.
LoopBuilder::Values AttendGeneral::unmaskedPairs(const KeyBlock &block, Value all) {
  Value isInside = loops.less(loops.add(block.firstKey, group.rank), block.end);
  auto inside = [&] { return Values(shape.rows, isInside); };
  if (!problem.hasMask())
    return inside();
  SmallVector<Type> types(shape.rows, loops.builder.getI1Type());
  return loops.select(all, types, inside, [&] {
    std::vector<RegionVectoriser> pairs = bindPairs(1, block.key);
    Values unmasked;
    for (Value keeps : evaluateForRows(pairs, op().getMask()))
      unmasked.push_back(loops.both(scalarOf(keeps), isInside));
    return unmasked;
  });
}

//===------------------------------------------ scores ------------------------------------------------------------===//

/// A reduction over features, for each row.
LoopBuilder::Values AttendGeneral::computeProduct(const PairReduction &product, std::vector<RegionVectoriser> &pairs,
                                                  Value key) {
  attn::ReduceOp reduce = product.op;
  bool inAccesses =
      reduce.getSizes().size() == 1 && product.features.isConstant() && product.features.constant() % deviceLanes == 0;
  return inAccesses ? sumFeatures(product, key) : evaluateForAll(pairs, reduce.getResult());
}

/// Four features at a time, with one partial sum for each.
LoopBuilder::Values AttendGeneral::sumFeatures(const PairReduction &product, Value key) {
  attn::ReduceOp reduce = product.op;
  OpBuilder &builder = loops.builder;
  LoopBuilder wide(builder, loops.location, deviceLanes);
  std::vector<RegionVectoriser> pairs = bindPairs(deviceLanes, key);
  Value start = neutralElement(builder, loops.location, reduce.getCombine(), wide.vectorType());
  Values sums(shape.rows, start);
  auto add = [&](RegionVectoriser pair, Value feature, Value sum) -> Value {
    pair.bindIndex(reduce.getBody().getArgument(0), steppingIndex(feature));
    if (product.isDot) {
      Value ofKey = pair.broadcast(pair.evaluate(product.keyFactor));
      Value ofRow = pair.broadcast(pair.evaluate(tensor::ExtractOp(product.rowExtracts[0]).getResult()));
      return wide.fma(ofRow, ofKey, sum);
    }
    Value term = pair.broadcast(pair.evaluate(AttendProblem::yielded(reduce.getBody())));
    return combine(builder, loops.location, reduce.getCombine(), sum, term);
  };
  int64_t features = product.features.constant(), accesses = features % (2 * deviceLanes) == 0 ? 2 : 1;
  Value end = loops.constant(features), step = loops.constant(accesses * deviceLanes);
  sums = loops.loop(loops.constant(0), end, step, sums, [&](Value first, ValueRange carried) {
    Values next(carried);
    for (int64_t access = 0; access < accesses; ++access)
      for (auto [pair, sum] : llvm::zip_equal(pairs, next))
        sum = add(pair, loops.add(first, access * deviceLanes), sum);
    return next;
  });
  disableUnrolling(sums[0]); // unrolled, the sums of all rows would be in registers at once
  for (Value &sum : sums)
    sum = combineLanes(builder, loops.location, reduce.getCombine(), sum);
  return sums;
}

/// Scores as the normaliser requires them. A pair whose score is -inf is dropped.
LoopBuilder::Values AttendGeneral::computeScores(Pass pass, KeyBlock &block) {
  std::vector<RegionVectoriser> pairs = bindPairs(1, block.key);
  for (const PairReduction &product : problem.products)
    for (auto [pair, sum] : llvm::zip_equal(pairs, computeProduct(product, pairs, block.key)))
      pair.bindValue(attn::ReduceOp(product.op).getResult(), sum);
  Values scores = evaluateForRows(pairs, op().getScore());
  for (auto [score, unmasked] : llvm::zip_equal(scores, block.unmasked)) {
    score = loops.splat(scalarOf(score));
    if (double scale = problem.normaliser->scoreScale(); scale != 1)
      score = loops.mulf(score, loops.splat(scale));
    Value isScore = loops.compare(arith::CmpFPredicate::UNE, scalarOf(score), loops.scalar(-infinity));
    unmasked = loops.both(unmasked, isScore);
    score = loops.choose(unmasked, score, loops.splat(problem.normaliser->droppedScore()));
  }
  return scores;
}

/// Reports subscripts out of range in a formula, for unmasked pairs.
void AttendGeneral::checkPairs(const KeyBlock &block, Region &formula, const Values &unmasked, ValueRange sizes) {
  if (!readsByData(formula))
    return;
  std::vector<RegionVectoriser> pairs = bindPairs(1, block.key);
  for (auto [pair, keeps] : llvm::zip_equal(pairs, unmasked)) {
    pair.restrictLanes(loops.splat(keeps));
    pair.checkSubscripts(formula, sizes);
  }
}

//===------------------------------------------ weights -----------------------------------------------------------===//

/// Updates m with the scores of a block, and multiplies l and o by the correction.
void AttendGeneral::raiseMaxima(const Values &scores, RowStates &states) {
  SweepReduction most{attn::Combine::Max, loops.builder.getF32Type()};
  for (int64_t row = 0; row < shape.rows; ++row) {
    Value before = states.largest[row], own = loops.maxKeepingFirst(before, scores[row]);
    Value largest = loops.splat(group.combine(most, scalarOf(own))[0]);
    Value correction = problem.normaliser->correction(code(), before, largest);
    states.largest[row] = largest;
    if (!states.logs.empty()) {
      Value &logs = states.logs[row];
      if (Value change = problem.normaliser->logCorrection(code(), before, largest))
        logs = loops.fma(states.sums[row], change, logs);
      logs = loops.mulf(logs, correction);
    }
    states.sums[row] = loops.mulf(states.sums[row], correction);
    LoopBuilder wide(loops.builder, loops.location, shape.width);
    for (int64_t access = 0; !states.values.empty() && access < shape.accesses; ++access) {
      Value &value = states.values[row * shape.accesses + access];
      value = wide.mulf(value, wide.splat(scalarOf(correction)));
    }
  }
}

/// Attention weights of the thread's pairs, before the weight region; adds them to l.
LoopBuilder::Values AttendGeneral::computeWeights(Pass pass, const KeyBlock &block, const Values &scores,
                                                  RowStates &states, const RowTotals &totals) {
  const Normaliser &normaliser = *problem.normaliser;
  Values weights;
  if (normaliser.followsKeys()) {
    weights = weighInOrder(scores, states);
  } else {
    for (int64_t row = 0; row < shape.rows; ++row) {
      auto [weight, sum] = normaliser.weigh(code(), scores[row], {states.largest[row], states.sums[row]});
      weights.push_back(weight);
      if (pass != Pass::Apply)
        states.sums[row] = sum;
    }
  }
  for (int64_t row = 0; row < shape.rows; ++row) {
    if (isScaled(pass))
      weights[row] = loops.mulf(weights[row], totals.factors[row]);
    if (!carriesLogs(pass))
      continue;
    Normaliser::Carriers carriers = {states.largest[row], {}};
    Value log = pass == Pass::Apply ? code().log2OfSize(weights[row])
                                    : normaliser.logWeight(code(), scores[row], weights[row], carriers);
    states.logs[row] = loops.addf(states.logs[row], loops.mulf(weights[row], log));
  }
  return weights;
}

/// Selects the row value whose number is the thread's rank.
Value AttendGeneral::chooseByRank(const Values &rowValues) {
  Value chosen = rowValues[0];
  for (int64_t row = 1; row < shape.rows; ++row)
    chosen = loops.choose(isOneThread(row), rowValues[row], chosen);
  return chosen;
}

Value AttendGeneral::isOneThread(int64_t rank) {
  return loops.compare(arith::CmpIPredicate::eq, group.rank, loops.constant(rank));
}

/// Thread r computes the attention weights of row r in order of the keys: each depends on the sum so far.
LoopBuilder::Values AttendGeneral::weighInOrder(const Values &scores, RowStates &states) {
  Type f32 = loops.builder.getF32Type();
  Value own = loops.mul(loops.add(tileStart, group.rank), shape.rows), zero = loops.constant(0);
  group.sync(); // other threads may still read the previous block
  for (auto [row, score] : llvm::enumerate(scores))
    weightTile.store(scalarOf(score), loops.add(own, row));
  Value largest = chooseByRank(states.largest), sum = chooseByRank(states.sums);
  group.sync();
  auto weigh = [&] {
    return loops.loop(zero, loops.constant(warpThreads), loops.constant(1), sum, [&](Value key, ValueRange carried) {
      Value offset = loops.add(loops.mul(loops.add(tileStart, key), shape.rows), group.rank);
      Value score = loops.splat(weightTile.load(f32, offset));
      auto [weight, next] = problem.normaliser->weigh(code(), score, {largest, carried[0]});
      weightTile.store(scalarOf(weight), offset);
      return Values{next};
    });
  };
  Value hasRow = loops.less(group.rank, loops.constant(shape.rows));
  sum = loops.select(hasRow, sum.getType(), weigh, [&] { return Values{sum}; })[0];
  group.sync();
  Values weights;
  for (int64_t row = 0; row < shape.rows; ++row) {
    weights.push_back(loops.splat(weightTile.load(f32, loops.add(own, row))));
    states.sums[row] = loops.choose(isOneThread(row), sum, loops.splat(0.0));
  }
  return weights;
}

/// p' of p; zero for dropped pairs.
LoopBuilder::Values AttendGeneral::pairWeights(const KeyBlock &block, const Values &normalised) {
  Values weights = normalised;
  if (problem.hasWeight()) {
    std::vector<RegionVectoriser> pairs = bindPairs(1, block.key);
    for (auto [row, pair] : llvm::enumerate(pairs)) {
      pair.bindValue(op().getWeight().getArgument(0), scalarOf(normalised[row]));
      if (readsByData(op().getWeight()))
        pair.restrictLanes(loops.splat(block.unmasked[row]));
    }
    weights = evaluateForRows(pairs, op().getWeight());
  }
  for (auto [weight, unmasked] : llvm::zip_equal(weights, block.unmasked))
    weight = loops.choose(unmasked, loops.splat(scalarOf(weight)), loops.splat(0.0));
  return weights;
}

} // namespace attnc
