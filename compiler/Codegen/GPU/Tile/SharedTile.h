//===- SharedTile.h - a matrix in a block's memory ----------------------------------------------------------------===//
//
// Rows of whole units of 16 bytes. Threads read eight rows of one unit at once (ldmatrix), and such addresses lie a row
// apart: in the same banks. So the units of a row change places, by a number that differs from row to row:
//
//   unit u of row r lies at u ^ (r / (8 / w) % w)       w: the largest of 1, 2, 4, 8 that divides the units of a row
//
//   rows of 64 bytes    row 0   0 1 2 3      two rows fill the 32 banks, and eight rows of any unit lie in
//   (4 units)           row 1   0 1 2 3      eight different groups of four
//                       row 2   1 0 3 2
//                       row 3   1 0 3 2 ...
//
// For rows of 32, 64 and 128 bytes it is the order in which the hardware's own copies of tiles leave them.
//
// The hardware knows no longer rows. A tile with such is cut into panels, one behind the other: panel p has bytes
// p * panelRowBytes and on of all rows. Units are counted along the whole row, whatever panel they are in.
//
// A tile has stages: while one is read, others are filled.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Tile/BlockMemory.h"

namespace attnc {

inline constexpr int64_t unitBytes = 16;
/// Of f32 and tf32.
inline constexpr int64_t wordBytes = 4;
/// Rows after which the exchange begins again: the hardware takes it from addresses, so tiles begin at multiples of it.
inline constexpr int64_t exchangedRows = 8;

class SharedTile {
public:
  /// `panelRowBytes` divides `rowBytes`; 0 for a tile that is one panel.
  SharedTile(BlockMemory &memory, int64_t rows, int64_t rowBytes, int64_t stages = 1, int64_t panelRowBytes = 0);

  const int64_t rows, rowBytes, stages, panelRowBytes;
  const mlir::Value base; ///< !llvm.ptr<3>: of the block's memory
  const int64_t offset;   ///< of stage 0 in it

  int64_t rowUnits() const { return rowBytes / unitBytes; }
  int64_t bytes() const { return rows * rowBytes; } ///< of a stage
  int64_t panelBytes() const { return rows * panelRowBytes; }
  int64_t panelUnits() const { return panelRowBytes / unitBytes; } ///< of a row
  int64_t panels() const { return rowBytes / panelRowBytes; }
  int64_t swizzled() const { return places; } ///< w

  /// What the units of a row are exchanged by: a number below w.
  mlir::Value exchange(TileBuilder &tiles, mlir::Value row) const;
  /// Bytes from the start of a stage.
  mlir::Value place(TileBuilder &tiles, mlir::Value row, mlir::Value unit) const;
  /// Bytes from `base` to stage `number`.
  mlir::Value stage(TileBuilder &tiles, mlir::Value number) const;

private:
  int64_t places;
};

} // namespace attnc
