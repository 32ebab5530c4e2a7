//===- SharedTile.h - swizzled tile of a matrix in shared memory --------------------------------------------------===//
//
// A row consists of 16-byte vectors. ldmatrix reads the same vector of eight rows at once; without a swizzle these
// addresses are a row apart and fall into the same banks. The swizzle permutes the vectors of a row by an exclusive or
// that depends on the row:
//
//   vector u of row r is stored at u ^ (r / (8 / w) % w)   w: largest of 1, 2, 4, 8 that divides the vectors of a row
//
//   rows of 64 bytes    row 0   0 1 2 3      two rows fill the 32 banks; vector u of eight rows falls into
//   (4 vectors)         row 1   0 1 2 3      eight different groups of four banks
//                       row 2   1 0 3 2
//                       row 3   1 0 3 2 ...
//
// For rows of 32, 64 and 128 bytes this is the swizzle of TMA and wgmma. These support no longer rows, so a tile with
// longer rows consists of panels, one after the other: panel p has bytes p * panelRowBytes and on of all rows. Vector
// numbers count along the whole row, across panels.
//
// A tile has several pipeline stages: while one is read, others are filled.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Tile/BlockMemory.h"

namespace attnc {

inline constexpr int64_t vectorBytes = 16;
/// Bytes of an f32 or a tf32.
inline constexpr int64_t f32Bytes = 4;
/// Period of the swizzle in rows. The hardware derives the swizzle from addresses, so tiles are aligned to it.
inline constexpr int64_t swizzleRows = 8;

class SharedTile {
public:
  /// Allocates `stages` times `rows` x `rowBytes` in `memory`. `panelRowBytes`, a multiple of 16 that divides
  /// `rowBytes`, are the bytes of a row in a panel; 0 means one panel.
  SharedTile(BlockMemory &memory, int64_t rows, int64_t rowBytes, int64_t stages = 1, int64_t panelRowBytes = 0);

  const int64_t rows, rowBytes, stages, panelRowBytes;
  const mlir::Value base; ///< !llvm.ptr<3>: of the block's memory
  const int64_t offset;   ///< of stage 0 from `base`, in bytes

  int64_t rowVectors() const { return rowBytes / vectorBytes; }
  int64_t bytes() const { return rows * rowBytes; }                    ///< of a stage
  int64_t panelBytes() const { return rows * panelRowBytes; }          ///< of a stage
  int64_t panelVectors() const { return panelRowBytes / vectorBytes; } ///< of a row
  int64_t panels() const { return rowBytes / panelRowBytes; }
  int64_t swizzlePeriod() const { return period; } ///< w

  /// The exclusive or that the swizzle applies to the vector numbers of `row`: below w.
  mlir::Value swizzle(TileBuilder &tiles, mlir::Value row) const;
  /// Offset of vector `vector` of row `row` from the start of a stage, in bytes. All numbers and offsets are i32.
  mlir::Value vectorOffset(TileBuilder &tiles, mlir::Value row, mlir::Value vector) const;
  /// Offset of stage `number` from `base`, in bytes.
  mlir::Value stageOffset(TileBuilder &tiles, mlir::Value number) const;

private:
  int64_t period;
};

} // namespace attnc
