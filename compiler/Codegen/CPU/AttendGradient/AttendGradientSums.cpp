// The three products that add to results: sums of tiles over rows or keys, in registers of features.
#include "compiler/Codegen/CPU/AttendGradient/AttendGradient.h"

using namespace mlir;

namespace attnc {

void AttendGradient::accumulateAll(const Block &block) {
  attn::AttendOp op = attend.op;
  auto gradientOf = [&](unsigned result) { return frame.result(result); };
  bool mayDrop = !block.isWhole && attend.hasMask();
  if (problem.valueResult) {
    Matrix into =
        keysOf(problem.value, op.getValue().getArguments().back(), gradientOf(*problem.valueResult), problem.values);
    accumulate({scoreTiles[0], /*isTransposed=*/true, valueRowsOf(problem.cotangentOf(attn::Statistic::Value)), into,
                block.firstRow, block.rowCount, block.firstKey, block.keyCount, block.isTrimmed, mayDrop});
  }
  for (auto [number, dot] : llvm::enumerate(problem.dots)) {
    Matrix rowFactor = rowsOf(dot.rowFactor, dot.feature, frame.buffer(dot.rowFactor.getTensor()), dot.features);
    Matrix keyFactor = keysOf(dot.keyFactor, dot.feature, frame.buffer(dot.keyFactor.getTensor()), dot.features);
    if (dot.keyResult) {
      Matrix into = keysOf(dot.keyFactor, dot.feature, gradientOf(*dot.keyResult), dot.features);
      accumulate({gradientTiles[number], /*isTransposed=*/true, rowFactor, into, block.firstRow, block.rowCount,
                  block.firstKey, block.keyCount, block.isTrimmed, mayDrop});
    }
    if (dot.rowResult) {
      accumulate({gradientTiles[number], /*isTransposed=*/false, keyFactor, rowSums(number), block.firstKey,
                  block.keyCount, block.firstRow, block.rowCount, block.isTrimmed, mayDrop});
    }
  }
  accumulateTanhs(block);
}

/// The vectors of a row are split into register tiles as equal as can be.
void AttendGradient::accumulate(const Accumulation &sum) {
  int64_t total = vectorsOf(sum.into.columns), parts = (total + schedule.vectors - 1) / schedule.vectors;
  for (int64_t part = 0, firstVector = 0; part < parts; ++part) {
    int64_t vectors = total / parts + (part < total % parts);
    forEachTile(sum.count, schedule.rowsOf(vectors), [&](Value row, int64_t tileRows) {
      accumulateTile(sum, {tileRows, vectors}, row, firstVector);
    });
    firstVector += vectors;
  }
}

/// The factors that a tile may have terms with.
std::pair<LoopBuilder::Value, LoopBuilder::Value> AttendGradient::factorsOf(const Accumulation &sum, TileSize size,
                                                                            Value row) {
  Value zero = loops.constant(0);
  if (!sum.isTrimmed)
    return {zero, sum.factorCount};
  Value tile = loops.div(row, loops.constant(stepOfEnds));
  if (sum.isTransposed) {
    Value first = arith::IndexCastOp::create(loops.builder, loops.location, loops.builder.getIndexType(),
                                             loops.loadScalar(firstTiles, {tile}));
    return {loops.min(loops.mul(first, stepOfEnds), sum.factorCount), sum.factorCount};
  }
  Value end = endAt(tile);
  if (size.rows > stepOfEnds)
    end = loops.max(end, endAt(loops.add(tile, 1)));
  return {zero, end};
}

void AttendGradient::accumulateTile(const Accumulation &sum, TileSize size, Value row, int64_t firstVector) {
  Values offsets;
  for (int64_t i = 0; i < size.rows; ++i)
    offsets.push_back(sum.into.offsetOf(loops.add(loops.add(sum.first, row), i)));
  auto sumsBefore = [&] {
    Values before;
    for (Value offset : offsets)
      for (int64_t vector = 0; vector < size.vectors; ++vector)
        before.push_back(loadRow(sum.into, offset, firstVector + vector));
    return before;
  };
  auto left = [&](int64_t i, Value k) {
    Value r = loops.add(row, i);
    Value place =
        sum.isTransposed ? loops.add(loops.mul(k, schedule.tileKv), r) : loops.add(loops.mul(r, schedule.tileKv), k);
    return loops.loadScalar(sum.tile, {place});
  };
  auto right = [&](int64_t vector, Value k) {
    return loadRow(sum.factor, sum.factor.offsetOf(loops.add(sum.factorFirst, k)), firstVector + vector);
  };
  auto range = factorsOf(sum, size, row);
  Values sums = multiply(size, range.first, range.second, sumsBefore(), left, right);
  if (sum.mayDrop) {
    auto again = [&] {
      return multiply(size, range.first, range.second, sumsBefore(), left, right, /*skipsZeros=*/true);
    };
    SmallVector<Type> types(sums.size(), loops.vectorType());
    sums = loops.select(loops.hasNan(sums), types, again, [&] { return sums; });
  }
  for (int64_t i = 0; i < size.rows; ++i)
    for (int64_t vector = 0; vector < size.vectors; ++vector)
      storeRow(sums[i * size.vectors + vector], sum.into, offsets[i], firstVector + vector);
}

} // namespace attnc
