#include "compiler/Codegen/GPU/Attend/KeyStages.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace attnc {

KeyStages::KeyStages(const AttendMatrices &matrices, DeviceFrame &frame, AttendRows &rows, BlockMemory &memory,
                     int64_t keys, int64_t stages)
    : keys(keys), stages(stages), type(matrices.type), frame(frame), rows(rows), tiles(frame.builder, frame.location),
      loops(frame.builder, frame.location, /*lanes=*/1),
      keyTile(memory, keys, matrices.features * elementBytes(type), stages),
      valueTile(memory, keys, matrices.values * elementBytes(type), stages) {}

//===------------------------------------------ copies ------------------------------------------------------------===//

void KeyStages::open(AttendSources &sources, Value lane, Value firstKey, Value firstValue) {
  using Matrix = FragmentReader::Matrix;
  Value thread = tiles.fromIndex(frame.place.thread);
  copyKeys.emplace(tiles, keyTile, sources.keys(), thread, frame.place.threads);
  copyValues.emplace(tiles, valueTile, sources.values(), thread, frame.place.threads);
  readKeys.emplace(tiles, keyTile, areWords(type) ? Matrix::DeepB : Matrix::B, /*columnsAreDepth=*/true, lane,
                   PartStart{firstKey, {}});
  PartStart ofValues{firstKey, firstValue ? tiles.div(firstValue, unitBytes / elementBytes(type)) : Value()};
  if (areWords(type))
    readWords.emplace(tiles, valueTile, lane, ofValues);
  else
    readValues.emplace(tiles, valueTile, Matrix::B, /*columnsAreDepth=*/false, lane, ofValues);
}

void KeyStages::copy(const KeyTile &tile, Value stage) {
  loops.when(loops.less(tile.first, rows.range.end), [&] {
    copyKeys->issue(tile.first, rows.range.end, stage);
    copyValues->issue(tile.first, rows.range.end, stage);
  });
  closeCopies(tiles);
}

//===------------------------------------------ products ----------------------------------------------------------===//

/// sums += a * b of a square; of F32 the rows of the sums are multiplied by `factors` first, where there are any.
static void addSquare(TileBuilder &tiles, MatrixType type, ArrayRef<FactorA> a, ArrayRef<FactorB> b, int64_t square,
                      TileBuilder::Values &sums, ValueRange factors = {}) {
  auto four = MutableArrayRef<Value>(sums).slice(square * AttendFragments::sumsOfSquare, AttendFragments::sumsOfSquare);
  llvm::copy(multiplyAdd(tiles, type, a, b, {four[0], four[1], four[2], four[3]}, factors), four.begin());
}

/// What is read at once is B for two products: of two squares of keys; or of words, for one square and twice the depth.
void KeyStages::addPart(FragmentReader &readQueries, Value queries, Value keys, int64_t units, Values &sums) {
  constexpr int64_t productUnits = 2;
  int64_t depths = areWords(type) ? 2 : 1, wide = 2 / depths, squares = sums.size() / AttendFragments::sumsOfSquare;
  for (int64_t unit = 0; unit < units; unit += depths * productUnits) {
    SmallVector<FactorA> query;
    for (int64_t depth = 0; depth < depths; ++depth)
      query.push_back(factorOf(tiles, type, readQueries.read(queries, 0, unit + depth * productUnits)));
    for (int64_t square = 0; square < squares; square += wide) {
      std::array<Value, 4> key = readKeys->read(keys, square * productColumns, unit);
      for (int64_t each : {0, 1})
        addSquare(tiles, type, query[each % depths], factorOf(tiles, type, FragmentB{key[2 * each], key[2 * each + 1]}),
                  square + each % wide, sums);
    }
  }
}

LoopBuilder::Values KeyStages::products(FragmentReader &readQueries, Value queries, Value stage, int64_t squares) {
  Values sums(squares * AttendFragments::sumsOfSquare, loops.scalar(0));
  Value here = keyTile.stage(tiles, stage);
  if (type != MatrixType::F32) {
    addPart(readQueries, queries, here, keyTile.rowUnits(), sums);
    return sums;
  }
  // Parts of rows, of as many units as change places: they lie alike.
  int64_t units = keyTile.swizzled();
  sums = tiles.loop(tiles.number(0), tiles.number(keyTile.rowBytes), units * unitBytes, sums,
                    [&](Value bytes, ValueRange before) {
                      Values after(before);
                      addPart(readQueries, tiles.add(queries, bytes), tiles.add(here, bytes), units, after);
                      return after;
                    });
  keepLoop(sums[0]);
  return sums;
}

void KeyStages::addValues(Value stage, ArrayRef<FragmentA> weights, ValueRange corrections, Values &sums) {
  if (type != MatrixType::F32) {
    AttendFragments::correct(sums, corrections, loops);
    corrections = {};
  }
  Value here = valueTile.stage(tiles, stage);
  auto left = llvm::map_to_vector(weights, [&](const FragmentA &each) { return factorOf(tiles, type, each); });
  int64_t columns = sums.size() / AttendFragments::sumsOfSquare, depth = productDepth(type);
  auto factor = [&](const FragmentB &read) { return factorOf(tiles, type, read); };
  if (areWords(type)) {
    constexpr int64_t squareUnits = productColumns * 4 / unitBytes, columnsAhead = 4;
    for (int64_t column = 0; column < columns; ++column) {
      SmallVector<FactorB> right;
      for (size_t step = 0; step < left.size(); ++step)
        right.push_back(factor(readWords->read(here, step * depth, column * squareUnits)));
      addSquare(tiles, type, left, right, column, sums, corrections);
      // So the assembler reads no further ahead than registers reach.
      if (type == MatrixType::F32 && column % columnsAhead == columnsAhead - 1)
        NVVM::SyncWarpOp::create(tiles.builder, tiles.location, tiles.number(-1));
    }
    return;
  }
  for (size_t step = 0; step < left.size(); ++step)
    for (int64_t column = 0; column < columns; column += 2) {
      std::array<Value, 4> two = readValues->read(here, step * depth, column);
      for (int64_t each : {0, 1})
        addSquare(tiles, type, left[step], factor({two[2 * each], two[2 * each + 1]}), column + each, sums);
    }
}

} // namespace attnc
