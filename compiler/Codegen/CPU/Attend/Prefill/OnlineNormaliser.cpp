#include "compiler/Codegen/CPU/Attend/Prefill/OnlineNormaliser.h"
#include "compiler/Analysis/DataSubscripts.h"

using namespace mlir;

namespace attnc {

OnlineNormaliser::OnlineNormaliser(const PrefillContext &context, QueryTile &queries, PairOperands &pairs,
                                   const SelectedPairs &selected, const PrefillTiles &tiles)
    : PrefillContext(context), normaliser(*problem.normaliser), access(loops, schedule), queries(queries), pairs(pairs),
      selected(selected), rows(tiles.rows), scores(tiles.scores[0]), materialised(tiles.materialised) {}

//===-------------------------------------------- rows --------------------------------------------------------===//

Value OnlineNormaliser::sinkOf(int64_t vector) {
  if (!problem.hasSink())
    return {};
  attn::AttendOp op = problem.op;
  RegionVectoriser &row = queries.vectors[vector];
  Value score = row.broadcast(row.evaluate(AttendProblem::yielded(op.getSink())));
  return loops.mulf(score, loops.splat(normaliser.scoreScale()));
}

void OnlineNormaliser::start() {
  for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
    auto [largest, sum] = normaliser.start(code(), sinkOf(vector));
    access.store(largest, rows.maxima, vector);
    access.store(sum, rows.sums, vector);
    if (problem.yields(attn::Statistic::Entropy))
      access.store(loops.splat(0.0), rows.logSums, vector);
  }
}

void OnlineNormaliser::restartSums() {
  for (int64_t vector = 0; vector < schedule.vectors; ++vector)
    access.store(normaliser.start(code(), {}).sum, rows.sums, vector);
}

void OnlineNormaliser::startBlock() {
  if (traits.keepsMaxima)
    for (int64_t vector = 0; vector < schedule.vectors; ++vector)
      access.store(access.load(rows.maxima, vector), rows.blockMaxima, vector);
}

void OnlineNormaliser::computeFactors() {
  for (int64_t vector = 0; vector < schedule.vectors; ++vector)
    access.store(normaliser.factor(code(), access.load(rows.sums, vector)), rows.factors, vector);
}

Value OnlineNormaliser::lse(int64_t vector) {
  return normaliser.lse(code(), {access.load(rows.maxima, vector), access.load(rows.sums, vector)});
}

Value OnlineNormaliser::entropy(int64_t vector) {
  Value sink = sinkOf(vector);
  Normaliser::Carriers carriers = {access.load(rows.maxima, vector), access.load(rows.sums, vector)};
  return normaliser.entropy(code(), carriers, access.load(rows.logSums, vector), sink);
}

//===-------------------------------------------- materialised scores ----------------------------------------===//

void OnlineNormaliser::materialise(const KeyBlock &block, ValueRange newMaxima) {
  for (auto [vector, largest] : llvm::enumerate(newMaxima))
    access.store(largest, rows.maxima, vector);
  loops.loop(loops.constant(0), block.count, loops.constant(1), [&](Value key) {
    for (int64_t vector = 0; vector < schedule.vectors; ++vector)
      access.store(access.load(scores, vector, key), materialised, vector, loops.add(block.firstMaterialised, key));
  });
}

void OnlineNormaliser::weighMaterialised(Value count) {
  NormaliserCode here = code();
  Values largest;
  for (int64_t vector = 0; vector < schedule.vectors; ++vector)
    largest.push_back(access.load(rows.maxima, vector));
  MaterialisedScores all{here, materialised, loops.constant(0), count, schedule.vectors, /*keysInLanes=*/false};
  for (auto [vector, factor] : llvm::enumerate(normaliser.weighMaterialised(all, largest)))
    access.store(factor, rows.factors, vector);
}

//===-------------------------------------------- weights -----------------------------------------------------===//

/// Loads what rows carry, and corrects it for the new maxima, which are stored.
OnlineNormaliser::Carried OnlineNormaliser::correctSums(KeyPass pass, ValueRange newMaxima) {
  bool isFinal = pass == KeyPass::Apply, hasLogs = pass == problem.passes.entropyPass;
  Carried carried;
  carried.largest.resize(schedule.vectors);
  for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
    Value sum = carried.sums.emplace_back(access.load(rows.sums, vector));
    if (hasLogs)
      carried.logs.push_back(access.load(rows.logSums, vector));
    if (problem.passes.scalesWeights(pass))
      carried.scales.push_back(access.load(rows.factors, vector));
    if (!normaliser.usesMaximum())
      continue;
    Value before = access.load(rows.maxima, vector);
    Value largest = carried.largest[vector] = isFinal ? before : newMaxima[vector];
    if (isFinal)
      continue;
    Value correction = carried.corrections.emplace_back(normaliser.correction(code(), before, largest));
    if (Value change = hasLogs ? normaliser.logCorrection(code(), before, largest) : Value())
      carried.logs[vector] = loops.mulf(loops.fma(sum, change, carried.logs[vector]), correction);
    carried.sums[vector] = loops.mulf(sum, correction);
    access.store(largest, rows.maxima, vector);
  }
  return carried;
}

LoopBuilder::Values OnlineNormaliser::weigh(KeyPass pass, const KeyBlock &block, ValueRange newMaxima) {
  bool isFinal = pass == KeyPass::Apply, hasLogs = pass == problem.passes.entropyPass;
  bool carries = !isFinal || normaliser.followsKeys();
  Carried before = correctSums(pass, newMaxima);
  Values total = before.sums;
  total.append(before.logs);
  total = loops.loop(loops.constant(0), block.count, loops.constant(1), total, [&](Value key, ValueRange carried) {
    Values next, nextLogs;
    for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
      auto [weight, sum] = weightOf(vector, block, key, {before.largest[vector], carried[vector]});
      if (!before.scales.empty())
        weight = loops.mulf(weight, before.scales[vector]);
      next.push_back(carries ? sum : carried[vector]);
      if (hasLogs)
        nextLogs.push_back(
            loops.addf(carried[schedule.vectors + vector], logTerm(pass, vector, key, weight, before.largest[vector])));
      if (pass == KeyPass::Statistics)
        continue;
      if (problem.hasWeight())
        weight = applyWeight(vector, block, key, weight);
      if (isFinal && traits.dropsPairs && problem.passes.needsFinalWeights) // each weight of a row that is NaN is NaN
        weight = loops.choose(selected.loadOrAll(block, access.queryOf(vector), key), weight, loops.splat(0.0));
      access.store(weight, scores, vector, key);
    }
    next.append(nextLogs);
    return next;
  });
  for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
    if (carries)
      access.store(total[vector], rows.sums, vector);
    if (hasLogs)
      access.store(total[schedule.vectors + vector], rows.logSums, vector);
  }
  return before.corrections;
}

/// The weight of a pair of the block: computed from its score, or loaded where weights are materialised.
Normaliser::Weighed OnlineNormaliser::weightOf(int64_t vector, const KeyBlock &block, Value key,
                                               const Normaliser::Carriers &carriers) {
  if (problem.passes.materialisesScores())
    return {access.load(materialised, vector, loops.add(block.firstMaterialised, key)), carriers.sum};
  return normaliser.weigh(code(), access.load(scores, vector, key), carriers);
}

/// The weight expression of a normalised weight.
Value OnlineNormaliser::applyWeight(int64_t vector, const KeyBlock &block, Value key, Value normalised) {
  attn::AttendOp op = problem.op;
  RegionVectoriser pair = pairs.bindPair(vector, block, key);
  pair.bindValue(op.getWeight().getArgument(0), normalised);
  if (traits.dropsPairs && readsByData(op.getWeight()))
    pair.restrictLanes(selected.loadOrAll(block, access.queryOf(vector), key));
  return pair.broadcast(pair.evaluate(AttendProblem::yielded(op.getWeight())));
}

/// w log2 w of one key of a block.
Value OnlineNormaliser::logTerm(KeyPass pass, int64_t vector, Value key, Value weight, Value largest) {
  NormaliserCode here = code();
  Value log = pass == KeyPass::Apply
                  ? here.log2OfMagnitude(weight)
                  : normaliser.logWeight(here, access.load(scores, vector, key), weight, {largest, {}});
  return loops.mulf(weight, log);
}

} // namespace attnc
