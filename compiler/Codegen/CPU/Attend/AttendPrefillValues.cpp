#include "compiler/Codegen/CPU/Attend/AttendPrefill.h"
#include "compiler/Codegen/DataSubscripts.h"

using namespace mlir;

namespace attnc {

//===-------------------------------------------- sums of values ----------------------------------------------===//

/// Reports what values of kept pairs read out of range.
void AttendPrefill::checkValues(const PairBlock &block) {
  attn::AttendOp op = problem.op;
  if (!readsByData(op.getValue()))
    return;
  loops.loop(loops.constant(0), block.count, loops.constant(1), [&](Value key) {
    for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
      RegionVectoriser pair = bindPair(vector, block.firstKey, key);
      if (dropsPairs())
        pair.restrictLanes(keptPairs(block, at(vector), key));
      pair.checkSubscripts(op.getValue(), valueSizes);
    }
  });
}

void AttendPrefill::accumulateValues(const PairBlock &block, ValueRange corrections) {
  auto tiles = [&](Value from, Value to, int64_t tileRows) {
    loops.loop(from, to, loops.constant(tileRows),
               [&](Value firstValue) { accumulateValueTile(block, firstValue, tileRows, corrections); });
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
  Value boundary = loops.mul(loops.div(values, loops.constant(schedule.tileRows)), schedule.tileRows);
  tiles(zero, boundary, schedule.tileRows);
  tiles(boundary, values, 1);
}

void AttendPrefill::accumulateValueTile(const PairBlock &block, Value firstValue, int64_t tileRows,
                                        ValueRange corrections) {
  Values added = sumValueTile(block, firstValue, tileRows, /*keptAlone=*/false);
  if (dropsPairs()) {
    // A weight of zero does not hide an infinite value or a NaN of a dropped pair; they are rare, so they show first.
    Value isSuspect = loops.select(
        block.allKept, {loops.builder.getI1Type()}, [&] { return Values{loops.boolean(false)}; },
        [&] { return Values{loops.hasNan(added)}; })[0];
    SmallVector<Type> types(added.size(), loops.vectorType());
    added = loops.select(
        isSuspect, types, [&] { return sumValueTile(block, firstValue, tileRows, /*keptAlone=*/true); },
        [&] { return added; });
  }
  for (int64_t i = 0; i < tileRows; ++i)
    for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
      Value sum = added[i * schedule.vectors + vector], before = loadTile(sumTile, vector, firstValue, i);
      sum = corrections.empty() ? loops.addf(before, sum) : loops.fma(before, corrections[vector], sum);
      storeTile(sum, sumTile, vector, firstValue, i);
    }
}

/// The sums over the keys of a block, [value][vector]; over the kept pairs alone, or with a weight of zero elsewhere.
LoopBuilder::Values AttendPrefill::sumValueTile(const PairBlock &block, Value firstValue, int64_t tileRows,
                                                bool keptAlone) {
  Values sums(tileRows * schedule.vectors, loops.splat(0.0));
  Value zero = loops.constant(0), one = loops.constant(1), several = loops.constant(keysAtOnce);
  ValueTile tile{firstValue, tileRows, 0, keptAlone};
  auto addOne = [&](Value key, ValueRange before) { return addKey(block, tile, key, before); };
  if (keptAlone)
    return loops.loop(zero, block.count, one, sums, addOne);
  Values ends = liveEnds(block.firstKey, block.count);
  Value whole = loops.mul(loops.div(ends[0], several), keysAtOnce);
  sums = loops.loop(zero, whole, several, sums, [&](Value first, ValueRange before) {
    prefetchValues(block, first, firstValue, tileRows);
    Values next(before);
    for (int64_t i = 0; i < keysAtOnce; ++i)
      next = addOne(loops.add(first, i), next);
    return next;
  });
  sums = loops.loop(whole, ends[0], one, sums, addOne);
  for (tile.firstVector = 1; tile.firstVector < int64_t(ends.size()); ++tile.firstVector) {
    auto isLive = [&](size_t number) { return int64_t(number) % schedule.vectors >= tile.firstVector; };
    Values live;
    for (auto [number, sum] : llvm::enumerate(sums))
      if (isLive(number))
        live.push_back(sum);
    live = loops.loop(ends[tile.firstVector - 1], ends[tile.firstVector], one, live, addOne);
    for (size_t number = 0, next = 0; number < sums.size(); ++number)
      if (isLive(number))
        sums[number] = live[next++];
  }
  return sums;
}

/// Adds one key of a block to the sums of the live vectors, [value][live vector].
LoopBuilder::Values AttendPrefill::addKey(const PairBlock &block, const ValueTile &tile, Value key, ValueRange before) {
  attn::AttendOp op = problem.op;
  Value formula = AttendProblem::yielded(op.getValue());
  bool ofRows = IndexUses(op).of(formula) & problem.rowUses();
  auto valueAt = [&](RegionVectoriser element, ValueRange indices) {
    bindValueIndices(element, indices);
    return loops.splat(element.evaluate(formula));
  };
  Values weights, kept, next;
  for (int64_t vector = tile.firstVector; vector < schedule.vectors; ++vector) {
    weights.push_back(loadTile(scoreTiles[0], vector, key));
    if (tile.keptAlone)
      kept.push_back(loops.loadFlags(keptTile, {keptAt(key, at(vector))}));
  }
  RegionVectoriser ofKey = bindKey(batch, loops.add(block.firstKey, key));
  for (int64_t i = 0; i < tile.rows; ++i) {
    Values indices = loops.delinearise(loops.add(tile.firstValue, i), valueSizes);
    Value shared = ofRows ? Value() : valueAt(ofKey, indices);
    for (auto [live, weight] : llvm::enumerate(weights)) {
      Value value = ofRows ? valueAt(bindPair(tile.firstVector + live, block.firstKey, key), indices) : shared;
      Value sum = before[next.size()], added = loops.fma(value, weight, sum);
      next.push_back(tile.keptAlone ? loops.choose(kept[live], added, sum) : added);
    }
  }
  return next;
}

void AttendPrefill::bindValueIndices(RegionVectoriser &to, ValueRange indices) {
  for (auto [dimension, index] : llvm::enumerate(indices))
    bindValueIndex(problem, to, dimension, uniformIndex(index));
}

/// A tile walks down a column of lines, which no prefetcher foresees. Tiles that share their lines take turns with the
/// keys: each asks for the next line of one key of the group, and for this line of one key of the next block.
void AttendPrefill::prefetchValues(const PairBlock &block, Value key, Value firstValue, int64_t tileRows) {
  attn::AttendOp op = problem.op;
  IndexUses uses(op);
  auto extract = AttendProblem::yielded(op.getValue()).getDefiningOp<tensor::ExtractOp>();
  if (!extract || (uses.of(extract) & problem.rowUses()) || valueSizes.size() != 1 ||
      !IndexUses::stepsWith(extract, op.getValue().getArguments().back()))
    return;
  Value turn = loops.rem(loops.div(firstValue, loops.constant(tileRows)), loops.constant(keysAtOnce));
  Value ours = loops.add(loops.add(block.firstKey, key), turn);
  auto prefetch = [&](Value ofKey, Value value, unsigned locality) {
    RegionVectoriser later = bindKey(batch, ofKey);
    bindValueIndices(later, {value});
    loops.prefetch(frame.buffer(extract.getTensor()), subscriptsOf(later, extract), locality);
  };
  prefetch(ours, loops.add(firstValue, lineFloats), 3);
  prefetch(loops.add(ours, block.count), firstValue, 2);
}

//===-------------------------------------------- results -----------------------------------------------------===//

void AttendPrefill::findFactors() {
  for (int64_t vector = 0; vector < schedule.vectors; ++vector)
    storeTile(problem.normaliser->factor(code(), loadTile(sums, vector)), factors, vector);
}

void AttendPrefill::storeValues(bool normalised) {
  auto result = problem.resultOf(attn::Statistic::Value);
  if (!result)
    return;
  attn::AttendOp op = problem.op;
  auto layout = op.getValueLayout();
  int64_t rank = op.getNumOuter() + op.getNumValues();
  if (valueSizes.size() == 1 && (!layout || layout->back() == rank - 1)) {
    storeTransposed(sumTile, values, normalised ? Value() : factors, frame.result(*result),
                    [&](RegionVectoriser &row, Value value) {
                      Values place;
                      for (const LaneIndex &index : outerIndices(problem, row))
                        place.push_back(index.base);
                      place.push_back(value);
                      return layout ? permuted(place, *layout) : place;
                    });
    return;
  }
  storeScatteredValues(normalised);
}

void AttendPrefill::storeScatteredValues(bool normalised) {
  attn::AttendOp op = problem.op;
  Value zero = loops.constant(0);
  loops.loop(zero, values, loops.constant(1), [&](Value value) {
    Values valueIndices = loops.delinearise(value, valueSizes);
    for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
      Value sum = loadTile(sumTile, vector, value);
      if (!normalised)
        sum = loops.mulf(sum, loadTile(factors, vector));
      SmallVector<LaneIndex> indices = outerIndices(problem, rowVectors[vector]);
      for (Value index : valueIndices)
        indices.push_back(uniformIndex(index));
      if (auto layout = op.getValueLayout())
        indices = permuted(indices, *layout);
      RegionVectoriser element = rowVectors[vector];
      element.store(sum, frame.result(*problem.resultOf(attn::Statistic::Value)), indices);
    }
  });
}

void AttendPrefill::storeLse() {
  auto result = problem.resultOf(attn::Statistic::Lse);
  if (!result)
    return;
  for (int64_t vector = 0; vector < schedule.vectors; ++vector) {
    Value lse = problem.normaliser->lse(code(), {loadTile(maxima, vector), loadTile(sums, vector)});
    RegionVectoriser element = rowVectors[vector];
    element.store(lse, frame.result(*result), outerIndices(problem, rowVectors[vector]));
  }
}

void AttendPrefill::storeWeightAt(int64_t vector, Value key, Value weight) {
  SmallVector<LaneIndex> indices = outerIndices(problem, rowVectors[vector]);
  for (Value subscript : loops.delinearise(key, keySizes))
    indices.push_back(uniformIndex(subscript));
  RegionVectoriser element = rowVectors[vector];
  element.store(weight, frame.result(*problem.resultOf(attn::Statistic::Weights)), indices);
}

/// Blocks in which nothing is kept are not visited: their weights are zeros.
void AttendPrefill::clearWeights() {
  if (!problem.resultOf(attn::Statistic::Weights) || !problem.hasMask())
    return;
  loops.loop(loops.constant(0), keys, loops.constant(1), [&](Value key) {
    for (int64_t vector = 0; vector < schedule.vectors; ++vector)
      storeWeightAt(vector, key, loops.splat(0.0));
  });
}

void AttendPrefill::storeWeights(Value firstKey, Value count) {
  if (keySizes.size() == 1) {
    storeTransposed(scoreTiles[0], count, {}, frame.result(*problem.resultOf(attn::Statistic::Weights)),
                    [&](RegionVectoriser &row, Value key) {
                      Values place;
                      for (const LaneIndex &index : outerIndices(problem, row))
                        place.push_back(index.base);
                      place.push_back(loops.add(firstKey, key));
                      return place;
                    });
    return;
  }
  loops.loop(loops.constant(0), count, loops.constant(1), [&](Value key) {
    for (int64_t vector = 0; vector < schedule.vectors; ++vector)
      storeWeightAt(vector, loops.add(firstKey, key), loadTile(scoreTiles[0], vector, key));
  });
}

} // namespace attnc
