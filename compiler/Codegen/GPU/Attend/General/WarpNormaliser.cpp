#include "compiler/Codegen/GPU/Attend/General/WarpNormaliser.h"
#include "compiler/Analysis/DataSubscripts.h"
#include "compiler/Codegen/GPU/Attend/General/WarpScores.h"

using namespace mlir;

namespace attnc {

/// The sink score of a row, as the normaliser requires it; null without a sink.
Value WarpNormaliser::sinkScore(int64_t row) const {
  if (!problem.hasSink())
    return {};
  Value sink = warp.points[row].broadcast(warp.points[row].evaluate(AttendProblem::yielded(op().getSink())));
  return loops.mulf(sink, loops.splat(problem.normaliser->scoreScale()));
}

WarpNormaliser::RowStates WarpNormaliser::start(bool withSink) const {
  RowStates start;
  Value zero = loops.splat(0.0);
  for (int64_t row = 0; row < shape.rows; ++row) {
    Normaliser::Carriers carriers = problem.normaliser->start(code(), withSink ? sinkScore(row) : Value());
    start.largest.push_back(carriers.largest);
    start.sums.push_back(loops.choose(isOneThread(row), carriers.sum, zero));
    if (problem.yields(attn::Statistic::Entropy))
      start.logs.push_back(zero);
    for (int64_t rank = 0; rank < problem.top(); ++rank) {
      Value none = arith::ConstantIntOp::create(loops.builder, loops.location, -1, 32);
      start.top.append({loops.splat(negativeInfinity), none});
    }
  }
  return start;
}

WarpNormaliser::RowTotals WarpNormaliser::rowTotals(const RowStates &states) const {
  RowTotals totals;
  for (Value partial : states.sums) {
    totals.sums.push_back(threadSum(partial));
    totals.factors.push_back(problem.normaliser->factor(code(), totals.sums.back()));
  }
  return totals;
}

void WarpNormaliser::raiseMaxima(const Values &scores, RowStates &states) const {
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
    LoopBuilder wide = wideLoops();
    for (int64_t access = 0; !states.values.empty() && access < shape.accesses; ++access) {
      Value &value = states.values[row * shape.accesses + access];
      value = wide.mulf(value, wide.splat(scalarOf(correction)));
    }
  }
}

LoopBuilder::Values WarpNormaliser::computeWeights(KeyPass pass, const Values &scores, RowStates &states,
                                                   const RowTotals &totals) const {
  const Normaliser &normaliser = *problem.normaliser;
  Values weights;
  if (normaliser.followsKeys()) {
    weights = weighInOrder(scores, states);
  } else {
    for (int64_t row = 0; row < shape.rows; ++row) {
      auto [weight, sum] = normaliser.weigh(code(), scores[row], {states.largest[row], states.sums[row]});
      weights.push_back(weight);
      if (pass != KeyPass::Apply)
        states.sums[row] = sum;
    }
  }
  for (int64_t row = 0; row < shape.rows; ++row) {
    if (problem.passes.scalesWeights(pass))
      weights[row] = loops.mulf(weights[row], totals.factors[row]);
    if (pass != problem.passes.entropyPass)
      continue;
    Normaliser::Carriers carriers = {states.largest[row], {}};
    Value log = pass == KeyPass::Apply ? code().log2OfMagnitude(weights[row])
                                       : normaliser.logWeight(code(), scores[row], weights[row], carriers);
    states.logs[row] = loops.addf(states.logs[row], loops.mulf(weights[row], log));
  }
  return weights;
}

/// Selects the row value whose number is the thread's rank.
Value WarpNormaliser::chooseByRank(const Values &rowValues) const {
  Value chosen = rowValues[0];
  for (int64_t row = 1; row < shape.rows; ++row)
    chosen = loops.choose(isOneThread(row), rowValues[row], chosen);
  return chosen;
}

Value WarpNormaliser::isOneThread(int64_t rank) const {
  return loops.compare(arith::CmpIPredicate::eq, group.rank, loops.constant(rank));
}

/// Thread r computes the attention weights of row r in order of the keys: each depends on the sum so far.
LoopBuilder::Values WarpNormaliser::weighInOrder(const Values &scores, RowStates &states) const {
  Type f32 = loops.builder.getF32Type();
  Value own = loops.mul(loops.add(warp.tileStart, group.rank), shape.rows), zero = loops.constant(0);
  group.sync(); // other threads may still read the previous block
  for (auto [row, score] : llvm::enumerate(scores))
    weightTile.store(scalarOf(score), loops.add(own, row));
  Value largest = chooseByRank(states.largest), sum = chooseByRank(states.sums);
  group.sync();
  auto weigh = [&] {
    return loops.loop(zero, loops.constant(warpThreads), loops.constant(1), sum, [&](Value key, ValueRange carried) {
      Value offset = loops.add(loops.mul(loops.add(warp.tileStart, key), shape.rows), group.rank);
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

LoopBuilder::Values WarpNormaliser::pairWeights(const KeyBlock &block, const Values &normalised) const {
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

//===------------------------------------------ results -----------------------------------------------------------===//

void WarpNormaliser::storeWeights(const KeyBlock &block, const Values &weights) const {
  if (!problem.yields(attn::Statistic::Weights))
    return;
  loops.when(loops.less(loops.add(block.firstKey, group.rank), block.end), [&] {
    forEachRow([&](int64_t row) {
      storeResult(row, weights[row], attn::Statistic::Weights, loops.delinearise(block.key, rows.keySizes));
    });
  });
}

void WarpNormaliser::clearWeights() const {
  if (!problem.yields(attn::Statistic::Weights) || !problem.hasMask())
    return;
  loops.loop(group.rank, rows.keys, loops.constant(warpThreads), [&](Value key) {
    forEachRow([&](int64_t row) {
      storeResult(row, loops.scalar(0), attn::Statistic::Weights, loops.delinearise(key, rows.keySizes));
    });
  });
  group.sync();
}

void WarpNormaliser::storeStatistics(const RowStates &states, const RowTotals &totals) const {
  Values entropies;
  for (int64_t row = 0; row < shape.rows && !states.logs.empty(); ++row) {
    Normaliser::Carriers carriers = {states.largest[row], totals.sums[row]};
    entropies.push_back(problem.normaliser->entropy(code(), carriers, threadSum(states.logs[row]), sinkScore(row)));
  }
  group.onFirstThread([&] {
    forEachRow([&](int64_t row) {
      if (problem.yields(attn::Statistic::Lse))
        storeResult(row, problem.normaliser->lse(code(), {states.largest[row], totals.sums[row]}),
                    attn::Statistic::Lse);
      if (!entropies.empty())
        storeResult(row, entropies[row], attn::Statistic::Entropy);
    });
  });
}

} // namespace attnc
