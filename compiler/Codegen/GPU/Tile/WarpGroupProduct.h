//===- WarpGroupProduct.h - asynchronous matrix products of a warp group (wgmma) ----------------------------------===//
//
// wgmma: four warps compute D[64 x n] += A[64 x k] * B[k x n]; n is a multiple of 8 up to 256, and k is 16 for 16-bit
// elements and 8 for tf32. B is in shared memory, A in shared memory or registers, D in registers: warp w has rows 16 w
// .. 16 w + 15, as fragments of 8 columns side by side (Fragment.h).
//
//   sums = beginProducts(sums)                     fence: orders earlier register accesses before the products
//   sums = multiplyAdd(..., sums) ...
//   commitProducts()                               commits a group of products
//   ... other work that does not touch sums, A's registers or the tiles
//   sums = awaitProducts(open, sums, kept)         waits until at most `open` groups are pending; `kept`, A's registers
//                                                  of the groups that end here, stay unchanged until then
//
// A 64-bit descriptor gives the address and swizzle of an operand in shared memory, which is a SharedTile whose panels
// have rows of 32, 64 or 128 bytes.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Tile/Fragment.h"
#include "compiler/Codegen/GPU/Tile/WarpGroup.h"

namespace attnc {

/// Rows of A and D of one wgmma.
inline constexpr int64_t warpGroupRows = 64;

/// The part of an operand in shared memory that one wgmma reads.
struct SharedOperandSlice {
  mlir::Value descriptor; ///< i64
  bool isTransposed;      ///< the rows of the tile are k
};

/// Operand A or B in shared memory, of type F16, BF16 or TF32 (rounded already).
class SharedOperand {
public:
  /// `columnsAreDepth`: a column of the tile is a k, and a row is a row of A or a column of B. Otherwise a row is a k,
  /// which wgmma supports for 16-bit elements only.
  SharedOperand(const SharedTile &tile, MatrixType type, bool columnsAreDepth);

  /// The slice of the stage at offset `stage` (SharedTile::stageOffset) that starts at `outer` (i32), a row of A or
  /// column of B, and at `k`, a multiple of productDepth. `outer` is a multiple of 8, or of the elements of a panel row
  /// if the rows of the tile are k.
  SharedOperandSlice slice(TileBuilder &tiles, mlir::Value stage, mlir::Value outer, int64_t k) const;

private:
  mlir::Value describe(TileBuilder &tiles, mlir::Value offset) const;

  const SharedTile tile;
  const MatrixType type;
  const bool isTransposed;
};

using ProductSums = TileBuilder::Values; ///< f32: n / 2 for each thread, as n / 8 FragmentD

// The sums that these functions return replace their operand `sums`.

ProductSums beginProducts(TileBuilder &tiles, mlir::ValueRange sums);
/// sums + a * b; if `accumulates` (i1, null for true) is false, a * b.
ProductSums multiplyAdd(TileBuilder &tiles, MatrixType type, const SharedOperandSlice &a, const SharedOperandSlice &b,
                        mlir::ValueRange sums, mlir::Value accumulates = nullptr);
/// The same with this warp's 16 rows of A in registers.
ProductSums multiplyAdd(TileBuilder &tiles, MatrixType type, const FragmentA &a, const SharedOperandSlice &b,
                        mlir::ValueRange sums, mlir::Value accumulates = nullptr);
void commitProducts(TileBuilder &tiles);
/// `kept`: the registers (i32) that the products which complete here read as A, fragment by fragment.
ProductSums awaitProducts(TileBuilder &tiles, int64_t open, mlir::ValueRange sums, mlir::ValueRange kept = {});

} // namespace attnc
