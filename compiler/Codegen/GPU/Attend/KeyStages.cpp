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
  Value thread = tiles.fromIndex(frame.position.thread);
  copyKeys.emplace(tiles, keyTile, sources.keys(), thread, frame.position.threads);
  copyValues.emplace(tiles, valueTile, sources.values(), thread, frame.position.threads);
  readKeys.emplace(tiles, keyTile, is32Bit(type) ? Matrix::DeepB : Matrix::B, /*columnsAreDepth=*/true, lane,
                   WarpTileStart{firstKey, {}});
  WarpTileStart valueStart{firstKey, firstValue ? tiles.div(firstValue, vectorBytes / elementBytes(type)) : Value()};
  if (is32Bit(type))
    readTransposed.emplace(tiles, valueTile, lane, valueStart);
  else
    readValues.emplace(tiles, valueTile, Matrix::B, /*columnsAreDepth=*/false, lane, valueStart);
}

void KeyStages::copy(const KeyTile &tile, Value stage) {
  loops.when(loops.less(tile.first, rows.range.end), [&] {
    copyKeys->issue(tile.first, rows.range.end, stage);
    copyValues->issue(tile.first, rows.range.end, stage);
  });
  commitCopies(tiles);
}

//===------------------------------------------ products ----------------------------------------------------------===//

/// sums += a * b of a fragment; of F32, `factors` (if there are any) scale the rows of the sums first.
static void addFragment(TileBuilder &tiles, MatrixType type, ArrayRef<OperandFragmentA> a, ArrayRef<OperandFragmentB> b,
                        int64_t fragment, TileBuilder::Values &sums, ValueRange factors = {}) {
  auto four =
      MutableArrayRef<Value>(sums).slice(fragment * AttendFragments::fragmentSums, AttendFragments::fragmentSums);
  llvm::copy(multiplyAdd(tiles, type, a, b, {four[0], four[1], four[2], four[3]}, factors), four.begin());
}

/// One read returns B for two products: of two fragments of keys or, for 32-bit elements, of one fragment at twice the
/// depth.
void KeyStages::addSlice(FragmentReader &readQueries, Value queries, Value keys, int64_t vectors, Values &sums) {
  constexpr int64_t productVectors = 2;
  int64_t depths = is32Bit(type) ? 2 : 1, wide = 2 / depths, fragments = sums.size() / AttendFragments::fragmentSums;
  for (int64_t vector = 0; vector < vectors; vector += depths * productVectors) {
    SmallVector<OperandFragmentA> query;
    for (int64_t depth = 0; depth < depths; ++depth)
      query.push_back(operandFragment(tiles, type, readQueries.read(queries, 0, vector + depth * productVectors)));
    for (int64_t fragment = 0; fragment < fragments; fragment += wide) {
      std::array<Value, 4> key = readKeys->read(keys, fragment * productColumns, vector);
      for (int64_t each : {0, 1})
        addFragment(tiles, type, query[each % depths],
                    operandFragment(tiles, type, FragmentB{key[2 * each], key[2 * each + 1]}), fragment + each % wide,
                    sums);
    }
  }
}

LoopBuilder::Values KeyStages::products(FragmentReader &readQueries, Value queries, Value stage, int64_t fragments) {
  Values sums(fragments * AttendFragments::fragmentSums, loops.scalar(0));
  Value here = keyTile.stageOffset(tiles, stage);
  if (type != MatrixType::F32) {
    addSlice(readQueries, queries, here, keyTile.rowVectors(), sums);
    return sums;
  }
  // The loop steps by whole swizzle periods, within which vectors have the same order.
  int64_t vectors = keyTile.swizzlePeriod();
  sums = tiles.loop(tiles.constant(0), tiles.constant(keyTile.rowBytes), vectors * vectorBytes, sums,
                    [&](Value bytes, ValueRange before) {
                      Values after(before);
                      addSlice(readQueries, tiles.add(queries, bytes), tiles.add(here, bytes), vectors, after);
                      return after;
                    });
  disableUnrolling(sums[0]);
  return sums;
}

void KeyStages::addValues(Value stage, ArrayRef<FragmentA> weights, ValueRange corrections, Values &sums) {
  if (type != MatrixType::F32) {
    AttendFragments::correct(sums, corrections, loops);
    corrections = {};
  }
  Value here = valueTile.stageOffset(tiles, stage);
  auto left = llvm::map_to_vector(weights, [&](const FragmentA &each) { return operandFragment(tiles, type, each); });
  int64_t columns = sums.size() / AttendFragments::fragmentSums, depth = productDepth(type);
  auto toOperand = [&](const FragmentB &read) { return operandFragment(tiles, type, read); };
  if (is32Bit(type)) {
    constexpr int64_t fragmentVectors = productColumns * 4 / vectorBytes, columnsAhead = 4;
    for (int64_t column = 0; column < columns; ++column) {
      SmallVector<OperandFragmentB> right;
      for (size_t kStep = 0; kStep < left.size(); ++kStep)
        right.push_back(toOperand(readTransposed->read(here, kStep * depth, column * fragmentVectors)));
      addFragment(tiles, type, left, right, column, sums, corrections);
      // Keeps ptxas from moving more loads ahead than there are registers for.
      if (type == MatrixType::F32 && column % columnsAhead == columnsAhead - 1)
        NVVM::SyncWarpOp::create(tiles.builder, tiles.location, tiles.constant(-1));
    }
    return;
  }
  for (size_t kStep = 0; kStep < left.size(); ++kStep)
    for (int64_t column = 0; column < columns; column += 2) {
      std::array<Value, 4> two = readValues->read(here, kStep * depth, column);
      for (int64_t each : {0, 1})
        addFragment(tiles, type, left[kStep], toOperand({two[2 * each], two[2 * each + 1]}), column + each, sums);
    }
}

} // namespace attnc
