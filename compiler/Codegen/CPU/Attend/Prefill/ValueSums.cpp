#include "compiler/Codegen/CPU/Attend/Prefill/ValueSums.h"
#include "compiler/Analysis/DataSubscripts.h"

using namespace mlir;

namespace attnc {

ValueSums::ValueSums(const PrefillContext &context, const PrefillBatch &batch, const QueryTile &queries,
                     PairOperands &pairs, const SelectedPairs &selected, const PrefillTiles &tiles)
    : PrefillContext(context), access(loops, schedule), batch(batch), queries(queries), pairs(pairs),
      selected(selected), sums(tiles.values), weights(tiles.scores[0]) {}

void ValueSums::clear() {
  if (!problem.hasValue())
    return;
  Value zero = loops.splat(0.0);
  loops.loop(loops.constant(0), batch.values, loops.constant(1), [&](Value value) {
    for (int64_t vector = 0; vector < schedule.vectors; ++vector)
      access.store(zero, sums, vector, value);
  });
}

void ValueSums::check(const KeyBlock &block) {
  attn::AttendOp op = problem.op;
  if (!readsByData(op.getValue()))
    return;
  loops.loop(loops.constant(0), block.count, loops.constant(1), [&](Value key) {
    for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
      RegionVectoriser pair = pairs.bindPair(vector, block, key);
      if (traits.dropsPairs)
        pair.restrictLanes(selected.loadOrAll(block, access.queryOf(vector), key));
      pair.checkSubscripts(op.getValue(), batch.valueSizes);
    }
  });
}

//===-------------------------------------------- register tiles ----------------------------------------------===//

void ValueSums::accumulate(const KeyBlock &block, ValueRange corrections) {
  auto tiles = [&](Value from, Value to, int64_t tileRows) {
    loops.loop(from, to, loops.constant(tileRows),
               [&](Value firstValue) { accumulateTile(block, firstValue, tileRows, corrections); });
  };
  Value zero = loops.constant(0);
  if (problem.values.isConstant()) {
    // A short last tile would run at a fraction of the rate: the tiles are as equal as can be.
    int64_t number = problem.values.constant(), count = (number + schedule.tileRows - 1) / schedule.tileRows;
    if (number == 0)
      return;
    int64_t smaller = number / count, larger = number % count;
    Value boundary = loops.constant(larger * (smaller + 1));
    if (larger > 0)
      tiles(zero, boundary, smaller + 1);
    return tiles(boundary, loops.constant(number), smaller);
  }
  Value boundary = loops.mul(loops.div(batch.values, loops.constant(schedule.tileRows)), schedule.tileRows);
  tiles(zero, boundary, schedule.tileRows);
  tiles(boundary, batch.values, 1);
}

void ValueSums::accumulateTile(const KeyBlock &block, Value firstValue, int64_t tileRows, ValueRange corrections) {
  Values added = sumTile(block, firstValue, tileRows, /*selectedOnly=*/false);
  if (traits.dropsPairs) {
    Value isSuspect = loops.select(
        block.allSelected, {loops.builder.getI1Type()}, [&] { return Values{loops.boolean(false)}; },
        [&] { return Values{loops.hasNan(added)}; })[0];
    SmallVector<Type> types(added.size(), loops.vectorType());
    added = loops.select(
        isSuspect, types, [&] { return sumTile(block, firstValue, tileRows, /*selectedOnly=*/true); },
        [&] { return added; });
  }
  for (int64_t i = 0; i < tileRows; ++i)
    for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
      Value sum = added[i * schedule.vectors + vector], before = access.load(sums, vector, firstValue, i);
      sum = corrections.empty() ? loops.addf(before, sum) : loops.fma(before, corrections[vector], sum);
      access.store(sum, sums, vector, firstValue, i);
    }
}

/// The sums over the keys of a block, [value][vector]; over the selected pairs alone, or with a weight of zero
/// elsewhere.
LoopBuilder::Values ValueSums::sumTile(const KeyBlock &block, Value firstValue, int64_t tileRows, bool selectedOnly) {
  Values total(tileRows * schedule.vectors, loops.splat(0.0));
  Value zero = loops.constant(0), one = loops.constant(1), several = loops.constant(keysAtOnce);
  ValueTile tile{firstValue, tileRows, 0, selectedOnly};
  auto addOne = [&](Value key, ValueRange before) { return addKey(block, tile, key, before); };
  if (selectedOnly)
    return loops.loop(zero, block.count, one, total, addOne);
  Values ends = queries.liveEnds(block);
  Value whole = loops.mul(loops.div(ends[0], several), keysAtOnce);
  total = loops.loop(zero, whole, several, total, [&](Value first, ValueRange before) {
    prefetch(block, first, firstValue, tileRows);
    Values next(before);
    for (int64_t i = 0; i < keysAtOnce; ++i)
      next = addOne(loops.add(first, i), next);
    return next;
  });
  total = loops.loop(whole, ends[0], one, total, addOne);
  for (tile.firstVector = 1; tile.firstVector < int64_t(ends.size()); ++tile.firstVector) {
    auto isLive = [&](size_t number) { return int64_t(number) % schedule.vectors >= tile.firstVector; };
    Values live;
    for (auto [number, sum] : llvm::enumerate(total))
      if (isLive(number))
        live.push_back(sum);
    live = loops.loop(ends[tile.firstVector - 1], ends[tile.firstVector], one, live, addOne);
    for (size_t number = 0, next = 0; number < total.size(); ++number)
      if (isLive(number))
        total[number] = live[next++];
  }
  return total;
}

/// Adds one key of a block to the sums of the live vectors, [value][live vector].
LoopBuilder::Values ValueSums::addKey(const KeyBlock &block, const ValueTile &tile, Value key, ValueRange before) {
  attn::AttendOp op = problem.op;
  Value formula = AttendProblem::yielded(op.getValue());
  bool dependsOnRows = IndexUses(op).of(formula) & problem.rowUses();
  auto valueAt = [&](RegionVectoriser element, ValueRange indices) {
    bindValueIndices(element, indices);
    return loops.splat(element.evaluate(formula));
  };
  Values factors, flags, next;
  for (int64_t vector = tile.firstVector; vector < schedule.vectors; ++vector) {
    factors.push_back(access.load(weights, vector, key));
    if (tile.selectedOnly)
      flags.push_back(selected.load(block, access.queryOf(vector), key));
  }
  RegionVectoriser ofKey = batch.bindKey(loops.add(block.firstKey, key));
  for (int64_t i = 0; i < tile.rows; ++i) {
    Values indices = loops.delinearise(loops.add(tile.firstValue, i), batch.valueSizes);
    Value shared = dependsOnRows ? Value() : valueAt(ofKey, indices);
    for (auto [live, weight] : llvm::enumerate(factors)) {
      Value value = dependsOnRows ? valueAt(pairs.bindPair(tile.firstVector + live, block, key), indices) : shared;
      Value sum = before[next.size()], added = loops.fma(value, weight, sum);
      next.push_back(tile.selectedOnly ? loops.choose(flags[live], added, sum) : added);
    }
  }
  return next;
}

void ValueSums::bindValueIndices(RegionVectoriser &to, ValueRange indices) {
  for (auto [dimension, index] : llvm::enumerate(indices))
    bindValueIndex(problem, to, dimension, uniformIndex(index));
}

/// A tile reads a column of lines, which no hardware prefetcher foresees. Tiles that share their lines divide the keys
/// among them: each prefetches the next line of one key of the group, and this line of one key of the next block.
void ValueSums::prefetch(const KeyBlock &block, Value key, Value firstValue, int64_t tileRows) {
  attn::AttendOp op = problem.op;
  IndexUses uses(op);
  auto extract = AttendProblem::yielded(op.getValue()).getDefiningOp<tensor::ExtractOp>();
  if (!extract || (uses.of(extract) & problem.rowUses()) || batch.valueSizes.size() != 1 ||
      !IndexUses::stepsWith(extract, op.getValue().getArguments().back()))
    return;
  Value number = loops.rem(loops.div(firstValue, loops.constant(tileRows)), loops.constant(keysAtOnce));
  Value ours = loops.add(loops.add(block.firstKey, key), number);
  auto prefetchLine = [&](Value key, Value value, unsigned locality) {
    RegionVectoriser later = batch.bindKey(key);
    bindValueIndices(later, {value});
    loops.prefetch(frame.buffer(extract.getTensor()), subscriptsOf(later, extract), locality);
  };
  prefetchLine(ours, loops.add(firstValue, lineFloats), 3);
  prefetchLine(loops.add(ours, block.count), firstValue, 2);
}

//===-------------------------------------------- the result --------------------------------------------------===//

void ValueSums::store(QueryResults &results, Value factors) {
  if (!results.yields(attn::Statistic::Value))
    return;
  attn::AttendOp op = problem.op;
  auto layout = op.getValueLayout();
  int64_t rank = op.getNumOuter() + op.getNumValues();
  Value zero = loops.constant(0);
  if (batch.valueSizes.size() == 1 && (!layout || layout->back() == rank - 1))
    return results.storeRuns(attn::Statistic::Value, sums, zero, batch.values, factors, layout);
  loops.loop(zero, batch.values, loops.constant(1), [&](Value value) {
    Values indices = loops.delinearise(value, batch.valueSizes);
    for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
      Value sum = access.load(sums, vector, value);
      if (factors)
        sum = loops.mulf(sum, access.load(factors, vector));
      results.store(attn::Statistic::Value, vector, sum, indices, layout);
    }
  });
}

} // namespace attnc
