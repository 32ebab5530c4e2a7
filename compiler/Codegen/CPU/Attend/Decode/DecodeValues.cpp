#include "compiler/Codegen/CPU/Attend/Decode/DecodeValues.h"

using namespace mlir;

namespace attnc {

/// Keys whose values are read slice by slice; of more keys, more lines would be read out of order.
static constexpr int64_t keysPerIteration = 8;

void DecodeValues::clear() const {
  loops.loop(loops.constant(0), loops.mul(paddedValues(), shape.rows), loops.constant(schedule.lanes),
             [&](Value value) { loops.store(loops.splat(0.0), tiles.values, {value}); });
}

void DecodeValues::correct(int64_t row, Value correction) const {
  Value padded = paddedValues(), from = loops.mul(padded, row);
  loops.loop(from, loops.add(from, padded), loops.constant(schedule.lanes), [&](Value value) {
    loops.store(loops.mulf(loops.load(tiles.values, {value}), correction), tiles.values, {value});
  });
}

/// 2 rows x 8 vectors of values in registers: the cache lines of a key are read in the order of their addresses. There
/// are more rows if there are fewer vectors, and slices of about equal size if there are more.
int64_t DecodeValues::tileVectors() const {
  int64_t most = std::min<int64_t>(8, schedule.lanes / std::min<int64_t>(2, shape.largestTile));
  int64_t whole = problem.values.isConstant() ? problem.values.constant() / schedule.lanes : 0;
  return whole ? whole / ((whole + most - 1) / most) : most;
}

void DecodeValues::accumulate(const DecodeBlock &block) const {
  int64_t vectors = tileVectors(), width = vectors * schedule.lanes;
  Value zero = loops.constant(0);
  loops.loop(zero, block.count, loops.constant(keysPerIteration), [&](Value begin) {
    Value end = loops.min(block.count, loops.add(begin, keysPerIteration));
    auto sum = [&](Value from, Value to, int64_t vectorsAtOnce) {
      loops.loop(from, to, loops.constant(vectorsAtOnce * schedule.lanes), [&](Value value) {
        for (const RowTile &tile : shape.rowTiles)
          for (int64_t r = 0; r < tile.count; r += schedule.lanes / vectorsAtOnce) {
            RowTile some = {tile.first + r, std::min(schedule.lanes / vectorsAtOnce, tile.count - r)};
            accumulateTile({some, block, begin, end, value, vectorsAtOnce});
          }
      });
    };
    Value whole = loops.mul(loops.div(rows.values, loops.constant(width)), width);
    sum(zero, whole, vectors);
    sum(whole, rows.values, 1);
  });
}

Value DecodeValues::offset(const Tile &tile, int64_t row, int64_t vector) const {
  Value first = loops.add(loops.mul(paddedValues(), tile.rows.first + row), tile.firstValue);
  return loops.add(first, vector * schedule.lanes);
}

void DecodeValues::accumulateTile(const Tile &tile) const {
  Values sums = sumTile(tile, /*selectedOnly=*/false);
  SmallVector<Type> types(sums.size(), loops.vectorType());
  sums = loops.select(
      loops.hasNan(sums), types, [&] { return sumTile(tile, /*selectedOnly=*/true); }, [&] { return sums; });
  for (int64_t r = 0; r < tile.rows.count; ++r)
    for (int64_t vector = 0; vector < tile.vectors; ++vector)
      loops.store(sums[r * tile.vectors + vector], tiles.values, {offset(tile, r, vector)});
}

/// O with the keys of a tile, [row][vector]; with the selected pairs alone, or with a weight of zero elsewhere.
LoopBuilder::Values DecodeValues::sumTile(const Tile &tile, bool selectedOnly) const {
  Values carried;
  for (int64_t r = 0; r < tile.rows.count; ++r)
    for (int64_t vector = 0; vector < tile.vectors; ++vector)
      carried.push_back(loops.load(tiles.values, {offset(tile, r, vector)}));
  bool prefetches = tile.rows.first == 0 && !selectedOnly;
  DecodePrefetch stream{*this};
  DecodePrefetch::Runs ofTile;
  if (prefetches && stream.isInBlocks)
    ofTile = stream.aheadOfValues(tile.block, tile.begin);
  return loops.loop(tile.begin, tile.end, loops.constant(1), carried, [&](Value key, ValueRange before) {
    if (prefetches) {
      DecodePrefetch::Runs ahead = stream.isInBlocks ? ofTile : stream.aheadOfValues(tile.block, key);
      Value number = stream.isInBlocks ? loops.sub(key, tile.begin) : loops.constant(0);
      for (int64_t vector = 0; vector < tile.vectors; ++vector)
        stream.prefetch(ahead, number, loops.add(tile.firstValue, vector * schedule.lanes));
    }
    return addKey(tile, key, before, selectedOnly);
  });
}

LoopBuilder::Values DecodeValues::addKey(const Tile &tile, Value key, ValueRange before, bool selectedOnly) const {
  Value formula = AttendProblem::yielded(op().getValue());
  bool dependsOnRow = IndexUses(op()).of(formula) & problem.rowUses();
  Values next;
  for (int64_t r = 0; r < tile.rows.count; ++r) {
    Value pair = tiles.pairOffset(key, tile.rows.first + r);
    Value weight = loops.splat(loops.loadScalar(tiles.scores[0], {pair}));
    Value selected = selectedOnly ? loops.isSet(loops.loadScalar(tiles.selected, {pair})) : Value();
    for (int64_t vector = 0; vector < tile.vectors; ++vector) {
      Value first = loops.add(tile.firstValue, vector * schedule.lanes);
      RegionVectoriser element =
          rows.bindKey(tile.rows.first + (dependsOnRow ? r : 0), loops.add(tile.block.firstKey, key));
      bindValueIndex(problem, element, 0, steppingIndex(first));
      if (tile.vectors == 1)
        element.setActiveLanes(loops.min(loops.constant(schedule.lanes), loops.sub(rows.values, first)));
      Value sum = before[next.size()], value = element.broadcast(element.evaluate(formula));
      Value added = loops.fma(weight, value, sum);
      next.push_back(selectedOnly ? loops.choose(selected, added, sum) : added);
    }
  }
  return next;
}

} // namespace attnc
