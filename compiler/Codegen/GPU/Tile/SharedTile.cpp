#include "compiler/Codegen/GPU/Tile/SharedTile.h"
#include <cassert>

using namespace mlir;

namespace attnc {

/// Units of 128 bytes: all banks.
static constexpr int64_t bankUnits = 8;

/// Where the hardware knows the order, tiles begin where that order does.
static int64_t alignmentOf(int64_t rowBytes) {
  bool isKnown = rowBytes == 32 || rowBytes == 64 || rowBytes == 128;
  return isKnown ? exchangedRows * rowBytes : BlockMemory::partAlignment;
}

SharedTile::SharedTile(BlockMemory &memory, int64_t rows, int64_t rowBytes, int64_t stages, int64_t panelRow)
    : rows(rows), rowBytes(rowBytes), stages(stages), panelRowBytes(panelRow == 0 ? rowBytes : panelRow),
      base(memory.base), offset(memory.take(rows * rowBytes * stages, alignmentOf(panelRowBytes))),
      places(std::min(bankUnits, panelUnits() & -panelUnits())) {
  assert(panelRowBytes % unitBytes == 0 && rowBytes % panelRowBytes == 0);
  assert(panelBytes() % (panels() > 1 ? alignmentOf(panelRowBytes) : BlockMemory::partAlignment) == 0);
}

Value SharedTile::exchange(TileBuilder &tiles, Value row) const {
  return tiles.rem(tiles.div(row, bankUnits / places), places);
}

Value SharedTile::place(TileBuilder &tiles, Value row, Value unit) const {
  Value before = tiles.mul(row, panelRowBytes);
  if (panels() > 1) {
    before = tiles.add(before, tiles.mul(tiles.div(unit, panelUnits()), panelBytes()));
    unit = tiles.rem(unit, panelUnits());
  }
  return tiles.add(before, tiles.mul(tiles.exclusiveOr(unit, exchange(tiles, row)), unitBytes));
}

Value SharedTile::stage(TileBuilder &tiles, Value number) const {
  return tiles.add(tiles.mul(number, bytes()), offset);
}

} // namespace attnc
