#include "compiler/Codegen/CPU/AttendGradient/Tiled/GradientSums.h"

using namespace mlir;

namespace attnc {

void GradientSums::accumulate(const PairBlock &block) {
  attn::AttendOp op = problem.attend.op;
  bool mayDrop = !block.isWhole && problem.attend.hasMask();
  // The result has rows for the keys of the block, or for its rows.
  auto addToKeys = [&](Value tile, Matrix factor, Matrix into) {
    add({tile, /*isTransposed=*/true, factor, into, block.firstRow, block.rowCount, block.firstKey, block.keyCount,
         block.isTrimmed, mayDrop});
  };
  auto addToRows = [&](Value tile, Matrix factor, Matrix into) {
    add({tile, /*isTransposed=*/false, factor, into, block.firstKey, block.keyCount, block.firstRow, block.rowCount,
         block.isTrimmed, mayDrop});
  };
  if (problem.valueResult) {
    BlockArgument index = op.getValue().getArguments().back();
    Matrix into = matrices.ofKeys(problem.value, index, frame.result(*problem.valueResult), problem.values);
    addToKeys(tiles.scores[0], matrices.ofValues(problem.cotangentOf(attn::Statistic::Value)), into);
  }
  for (auto [number, dot] : llvm::enumerate(problem.dots)) {
    Matrix rowFactor = matrices.rowFactor(dot), keyFactor = matrices.keyFactor(dot);
    if (dot.keyResult) {
      Matrix into = matrices.ofKeys(dot.keyFactor, dot.feature, frame.result(*dot.keyResult), dot.features);
      addToKeys(tiles.gradients[number], rowFactor, into);
    }
    if (dot.rowResult)
      addToRows(tiles.gradients[number], keyFactor, rowSums.rows(number));
  }
}

/// The vectors of a row are split into register tiles as equal as can be.
void GradientSums::add(const Sum &sum) {
  int64_t total = schedule.vectorsOf(sum.into.columns), parts = (total + schedule.vectors - 1) / schedule.vectors;
  for (int64_t part = 0, firstVector = 0; part < parts; ++part) {
    int64_t vectors = total / parts + (part < total % parts);
    forEachTile(loops, sum.count, schedule.rowsOf(vectors), [&](Value row, int64_t tileRows) {
      addTile(sum, {tileRows, vectors}, row, firstVector);
    });
    firstVector += vectors;
  }
}

/// The range of factors that a tile may have terms with.
std::pair<Value, Value> GradientSums::factorRange(const Sum &sum, RegisterTile size, Value row) {
  Value zero = loops.constant(0);
  if (!sum.isTrimmed)
    return {zero, sum.factorCount};
  Value tile = loops.div(row, loops.constant(TrimmedTiles::step));
  if (sum.isTransposed) {
    Value first = trimmed.firstOf(tile);
    return {loops.min(loops.mul(first, TrimmedTiles::step), sum.factorCount), sum.factorCount};
  }
  Value end = trimmed.endOf(tile);
  if (size.rows > TrimmedTiles::step)
    end = loops.max(end, trimmed.endOf(loops.add(tile, 1)));
  return {zero, end};
}

void GradientSums::addTile(const Sum &sum, RegisterTile size, Value row, int64_t firstVector) {
  Values offsets;
  for (int64_t i = 0; i < size.rows; ++i)
    offsets.push_back(sum.into.offsetOf(loops.add(loops.add(sum.first, row), i)));
  auto sumsBefore = [&] {
    Values before;
    for (Value offset : offsets)
      for (int64_t vector = 0; vector < size.vectors; ++vector)
        before.push_back(matrices.load(sum.into, offset, firstVector + vector));
    return before;
  };
  auto left = [&](int64_t i, Value k) {
    Value r = loops.add(row, i);
    Value place =
        sum.isTransposed ? loops.add(loops.mul(k, schedule.tileKv), r) : loops.add(loops.mul(r, schedule.tileKv), k);
    return loops.loadScalar(sum.tile, {place});
  };
  auto right = [&](int64_t vector, Value k) {
    return matrices.load(sum.factor, sum.factor.offsetOf(loops.add(sum.factorFirst, k)), firstVector + vector);
  };
  auto range = factorRange(sum, size, row);
  TileProduct product = {loops, size, range.first, range.second, left, right};
  Values sums = product.addTo(sumsBefore());
  if (sum.mayDrop) {
    auto again = [&] { return product.addTo(sumsBefore(), /*skipsZeros=*/true); };
    SmallVector<Type> types(sums.size(), loops.vectorType());
    sums = loops.select(loops.hasNan(sums), types, again, [&] { return sums; });
  }
  for (int64_t i = 0; i < size.rows; ++i)
    for (int64_t vector = 0; vector < size.vectors; ++vector)
      matrices.store(sums[i * size.vectors + vector], sum.into, offsets[i], firstVector + vector);
}

} // namespace attnc
