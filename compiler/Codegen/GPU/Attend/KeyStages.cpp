#include "compiler/Codegen/GPU/Attend/KeyStages.h"

using namespace mlir;

namespace attnc {

KeyStages::KeyStages(const AttendMatrices &matrices, DeviceFrame &frame, AttendRows &rows, BlockMemory &memory,
                     int64_t keys, int64_t stages)
    : keys(keys), stages(stages), type(matrices.type), frame(frame), rows(rows), tiles(frame.builder, frame.location),
      loops(frame.builder, frame.location, /*lanes=*/1),
      keyTile(memory, keys, matrices.features * elementBytes(type), stages),
      valueTile(memory, keys, matrices.values * elementBytes(type), stages) {}

//===------------------------------------------ copies ------------------------------------------------------------===//

void KeyStages::open(AttendSources &sources, Value lane, const WarpPart &part) {
  Value thread = tiles.fromIndex(frame.place.thread);
  copyKeys.emplace(tiles, keyTile, sources.keys(), thread, frame.place.threads);
  copyValues.emplace(tiles, valueTile, sources.values(), thread, frame.place.threads);
  readKeys.emplace(tiles, keyTile, FragmentReader::Matrix::B, /*columnsAreDepth=*/true, lane, part.firstKey, nullptr);
  readValues.emplace(tiles, valueTile, FragmentReader::Matrix::B, /*columnsAreDepth=*/false, lane, part.firstKey,
                     part.firstUnit);
}

void KeyStages::copy(const KeyTile &tile, Value stage) {
  loops.when(loops.less(tile.first, rows.range.end), [&] {
    copyKeys->issue(tile.first, rows.range.end, stage);
    copyValues->issue(tile.first, rows.range.end, stage);
  });
  closeCopies(tiles);
}

//===------------------------------------------ products ----------------------------------------------------------===//

static FragmentD fragmentAt(ValueRange sums, int64_t square) {
  ValueRange four = sums.slice(square * AttendFragments::sumsOfSquare, AttendFragments::sumsOfSquare);
  return {four[0], four[1], four[2], four[3]};
}

/// sums += a * b of two squares beside each other.
static void addSquares(TileBuilder &tiles, MatrixType type, const FragmentA &a, const std::array<Value, 4> &b,
                       int64_t square, TileBuilder::Values &sums) {
  for (int64_t beside = 0; beside < 2; ++beside) {
    FragmentD sum = multiplyAdd(tiles, type, a, {b[2 * beside], b[2 * beside + 1]}, fragmentAt(sums, square + beside));
    llvm::copy(sum, sums.begin() + (square + beside) * AttendFragments::sumsOfSquare);
  }
}

LoopBuilder::Values KeyStages::products(FragmentReader &readQueries, Value queries, Value stage, int64_t squares) {
  Values sums(squares * AttendFragments::sumsOfSquare, loops.scalar(0));
  Value here = keyTile.stage(tiles, stage);
  for (int64_t unit = 0; unit < keyTile.rowUnits(); unit += 2) {
    FragmentA query = readQueries.read(queries, 0, unit);
    for (int64_t square = 0; square < squares; square += 2)
      addSquares(tiles, type, query, readKeys->read(here, square * productColumns, unit), square, sums);
  }
  return sums;
}

void KeyStages::addValues(Value stage, const FragmentA &weights, int64_t square, Values &sums) {
  Value here = valueTile.stage(tiles, stage);
  int64_t columns = sums.size() / AttendFragments::sumsOfSquare;
  for (int64_t column = 0; column < columns; column += 2)
    addSquares(tiles, type, weights, readValues->read(here, square * productColumns, column), column, sums);
}

} // namespace attnc
