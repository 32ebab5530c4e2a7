//===- SharedTile.h - swizzled tile of a matrix in shared memory --------------------------------------------------===//
//
// A tile is a copy of some rows and columns of a matrix, row by row. A row consists of 16-byte vectors. ldmatrix reads
// the same vector of eight rows at once; without a swizzle these addresses are a row apart and fall into the same
// banks. The swizzle permutes the vectors of a row by an exclusive or that depends on the row:
//
//   vector u of row r is stored at u ^ (r / (8 / w) % w)   w: largest of 1, 2, 4, 8 that divides the vectors of a row,
//                                                          or, with panels, of a row of a panel
//
//   rows of 64 bytes    row 0   0 1 2 3      two rows fill the 32 banks; vector u of eight rows falls into
//   (4 vectors)         row 1   0 1 2 3      eight different groups of four banks
//                       row 2   1 0 3 2
//                       row 3   1 0 3 2 ...
//
// For rows of 32, 64 and 128 bytes this is the swizzle of TMA and wgmma, which support no other lengths with a swizzle.
// A tile with other rows for them consists of panels with rows of one of these lengths, one after the other: panel p
// has the bytes from p * panelRowBytes to (p + 1) * panelRowBytes of all rows. Vector numbers count along the whole
// row, across panels.
//
// A tile has one or several pipeline stages, which are buffers of the same layout, one after the other: while threads
// read one stage, others are filled.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Tile/BlockMemory.h"

namespace attnc {

inline constexpr int64_t vectorBytes = 16;
/// Bytes of an f32 or a tf32.
inline constexpr int64_t f32Bytes = 4;
/// Elements of f32 in a vector.
inline constexpr int64_t vectorF32s = vectorBytes / f32Bytes;
/// Period of the swizzle in rows. The hardware derives the swizzle from addresses, so panels are aligned to eight rows.
inline constexpr int64_t swizzleRows = 8;

/// The layout of a tile. Copies of the object refer to the same memory.
class SharedTile {
public:
  /// Allocates `stages` times `rows` x `rowBytes` bytes in `memory`. `panelRowBytes`, a multiple of 16 that divides
  /// `rowBytes`, are the bytes of a row in a panel; 0 means one panel, and the member is then rowBytes. Requires that
  /// the bytes of a stage are a multiple of 128 and, with several panels, that the rows are a multiple of eight.
  SharedTile(BlockMemory &memory, int64_t rows, int64_t rowBytes, int64_t stages = 1, int64_t panelRowBytes = 0);

  const int64_t rows, rowBytes, stages, panelRowBytes;
  const mlir::Value base; ///< !llvm.ptr<3>: the start of the block's memory (BlockMemory::base)
  const int64_t offset;   ///< of stage 0 from `base`, in bytes

  int64_t rowVectors() const { return rowBytes / vectorBytes; }
  int64_t bytes() const { return rows * rowBytes; }                    ///< bytes of a stage
  int64_t panelBytes() const { return rows * panelRowBytes; }          ///< bytes of a panel of a stage
  int64_t panelVectors() const { return panelRowBytes / vectorBytes; } ///< vectors of a row of a panel
  int64_t panels() const { return rowBytes / panelRowBytes; }          ///< panels of a stage
  int64_t swizzlePeriod() const { return period; }                     ///< w, see above

  // The functions below emit i32 arithmetic; their operands and results are i32.

  /// The number below w that the swizzle combines, by exclusive or, with the vector numbers of row `row`.
  mlir::Value swizzle(TileBuilder &tiles, mlir::Value row) const;
  /// Bytes from the start of a stage to vector number `vector` of row `row`, after the swizzle.
  mlir::Value vectorOffset(TileBuilder &tiles, mlir::Value row, mlir::Value vector) const;
  /// Bytes from `base` to stage `number`.
  mlir::Value stageOffset(TileBuilder &tiles, mlir::Value number) const;

private:
  int64_t period;
};

} // namespace attnc
