#include "compiler/Codegen/CPU/Attend/Prefill/FinalWeights.h"

using namespace mlir;

namespace attnc {

FinalWeights::FinalWeights(const PrefillContext &context, const PrefillBatch &batch, const QueryTile &queries,
                           const KeySumPart &keySums, Value weights)
    : PrefillContext(context), access(loops, schedule), batch(batch), queries(queries), keySums(keySums),
      weights(weights) {}

void FinalWeights::clear(QueryResults &results) {
  if (!results.yields(attn::Statistic::Weights) || !problem.hasMask())
    return;
  loops.loop(loops.constant(0), batch.keys, loops.constant(1), [&](Value key) {
    for (int64_t vector = 0; vector < schedule.vectors; ++vector)
      results.store(attn::Statistic::Weights, vector, loops.splat(0.0), loops.delinearise(key, batch.keySizes));
  });
}

void FinalWeights::store(QueryResults &results, const KeyBlock &block) {
  if (!results.yields(attn::Statistic::Weights))
    return;
  if (batch.keySizes.size() == 1)
    return results.storeRuns(attn::Statistic::Weights, weights, block.firstKey, block.count);
  loops.loop(loops.constant(0), block.count, loops.constant(1), [&](Value key) {
    for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
      Value index = loops.add(block.firstKey, key), weight = access.load(weights, vector, key);
      results.store(attn::Statistic::Weights, vector, weight, loops.delinearise(index, batch.keySizes));
    }
  });
}

/// The sum of a key's weights, lane by lane.
Value FinalWeights::sumOfRows(Value key) {
  Value sum;
  for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
    Value weight = access.load(weights, vector, key);
    if (Value active = queries.vectors[vector].laneMask())
      weight = loops.choose(active, weight, loops.splat(0.0));
    sum = sum ? loops.addf(sum, weight) : weight;
  }
  return sum;
}

/// As many keys at a time as a vector has lanes.
void FinalWeights::addKeySums(const KeyBlock &block) {
  Value sums = keySums.sums, lanes = loops.constant(schedule.lanes);
  Value whole = loops.mul(loops.div(block.count, lanes), schedule.lanes);
  Value first = loops.add(keySums.first, block.firstKey);
  loops.loop(loops.constant(0), whole, lanes, [&](Value key) {
    Values each;
    for (int64_t lane = 0; lane < schedule.lanes; ++lane)
      each.push_back(sumOfRows(loops.add(key, lane)));
    Value total = loops.foldLanes(each, [&](Value a, Value b) { return loops.addf(a, b); });
    Value offset = loops.add(first, key);
    loops.store(loops.addf(loops.load(sums, {offset}), total), sums, {offset});
  });
  NormaliserCode code = {loops, target};
  loops.loop(whole, block.count, loops.constant(1), [&](Value key) {
    Value offset = loops.add(first, key), total = code.sumOfLanes(sumOfRows(key));
    loops.storeScalar(loops.addf(loops.loadScalar(sums, {offset}), total), sums, {offset});
  });
}

} // namespace attnc
