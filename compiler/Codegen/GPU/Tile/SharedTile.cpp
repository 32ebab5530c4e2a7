#include "compiler/Codegen/GPU/Tile/SharedTile.h"
#include <cassert>

using namespace mlir;

namespace attnc {

/// 16-byte vectors that fill all 32 banks: 128 bytes.
static constexpr int64_t bankVectors = 8;

/// Rows that TMA and wgmma support are aligned to the period of the swizzle.
static int64_t alignmentOf(int64_t rowBytes) {
  bool isKnown = rowBytes == 32 || rowBytes == 64 || rowBytes == 128;
  return isKnown ? swizzleRows * rowBytes : BlockMemory::defaultAlignment;
}

SharedTile::SharedTile(BlockMemory &memory, int64_t rows, int64_t rowBytes, int64_t stages, int64_t panelRow)
    : rows(rows), rowBytes(rowBytes), stages(stages), panelRowBytes(panelRow == 0 ? rowBytes : panelRow),
      base(memory.base), offset(memory.allocate(rows * rowBytes * stages, alignmentOf(panelRowBytes))),
      period(std::min(bankVectors, panelVectors() & -panelVectors())) {
  assert(panelRowBytes % vectorBytes == 0 && rowBytes % panelRowBytes == 0);
  assert(panelBytes() % (panels() > 1 ? alignmentOf(panelRowBytes) : BlockMemory::defaultAlignment) == 0);
}

Value SharedTile::swizzle(TileBuilder &tiles, Value row) const {
  return tiles.rem(tiles.div(row, bankVectors / period), period);
}

Value SharedTile::vectorOffset(TileBuilder &tiles, Value row, Value vector) const {
  Value before = tiles.mul(row, panelRowBytes);
  if (panels() > 1) {
    before = tiles.add(before, tiles.mul(tiles.div(vector, panelVectors()), panelBytes()));
    vector = tiles.rem(vector, panelVectors());
  }
  return tiles.add(before, tiles.mul(tiles.exclusiveOr(vector, swizzle(tiles, row)), vectorBytes));
}

Value SharedTile::stageOffset(TileBuilder &tiles, Value number) const {
  return tiles.add(tiles.mul(number, bytes()), offset);
}

} // namespace attnc
