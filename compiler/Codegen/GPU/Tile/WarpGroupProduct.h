//===- WarpGroupProduct.h - asynchronous matrix products of a warp group (wgmma) ----------------------------------===//
//
// By one wgmma instruction, the four warps of a warp group compute D[64 x n] += A[64 x k] * B[k x n]; n is a multiple
// of 8 up to 256, and the depth k is 16 for 16-bit elements and 8 for tf32. B is in shared memory, A in shared memory
// or registers, D in registers: warp w has rows 16 w .. 16 w + 15 of D, as fragments of 8 columns side by side
// (Fragment.h).
//
//   sums = beginProducts(sums)                     fence: orders earlier register accesses before the products
//   sums = multiplyAdd(..., sums) ...
//   commitProducts()                               commits the products since the last commit as a group
//   ... other work that does not access sums or A's registers, and does not write to the tiles
//   sums = awaitProducts(open, sums, kept)         waits until at most `open` groups are pending; `kept`, A's registers
//                                                  of the groups that end here, stay unchanged until then
//
// All threads of the warp group execute this code together. Products read shared memory through the async proxy: data
// that threads wrote or copied (cp.async) to a tile are visible only after a proxy fence of the writer, followed by a
// barrier (TileRing::markFull, awaitFull); copies by TMA need no fence. A 64-bit descriptor gives the address and
// swizzle of an operand in shared memory, which is a SharedTile with a multiple of eight rows, whose panels have rows
// of 32, 64 or 128 bytes.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Tile/Fragment.h"
#include "compiler/Codegen/GPU/Tile/WarpGroup.h"

namespace attnc {

/// Rows of A and D of one wgmma.
inline constexpr int64_t warpGroupRows = 64;

/// The part of an operand in shared memory that one wgmma reads: 64 rows of A, or n columns of B, and the depth of one
/// product. SharedOperand::slice creates it.
struct SharedOperandSlice {
  mlir::Value descriptor; ///< i64
  bool isTransposed;      ///< the tile has a row for each k
};

/// Operand A or B in shared memory, of type F16, BF16 or TF32 (rounded to tf32 already).
class SharedOperand {
public:
  /// `columnsAreDepth`: a column of the tile is a k, and a row of the tile is a row of A or a column of B. Otherwise a
  /// row of the tile is a k, which wgmma supports for 16-bit elements only.
  SharedOperand(const SharedTile &tile, MatrixType type, bool columnsAreDepth);

  /// The slice of the stage at offset `stage` (i32, SharedTile::stageOffset) that starts at number `outer` (i32) of the
  /// rows of A or columns of B, and at `k` of the depth, a multiple of productDepth. If a column of the tile is a k,
  /// `outer` is a multiple of 8; otherwise it is a multiple of the number of elements of a panel row.
  SharedOperandSlice slice(TileBuilder &tiles, mlir::Value stage, mlir::Value outer, int64_t k) const;

private:
  mlir::Value describe(TileBuilder &tiles, mlir::Value offset) const;

  const SharedTile tile;
  const MatrixType type;
  const bool isTransposed;
};

/// The sums D of one thread, f32: n / 8 FragmentD one after the other, which are n / 2 values.
using ProductSums = TileBuilder::Values;

// wgmma changes the registers of sums asynchronously. Each function that returns sums therefore replaces its operand
// `sums` by them: later code must use the returned values only.

ProductSums beginProducts(TileBuilder &tiles, mlir::ValueRange sums);
/// sums + a * b by one wgmma; if `accumulates` (i1, null for true) is false, a * b. The length of `sums` determines n.
/// `type` is F16, BF16 or TF32.
ProductSums multiplyAdd(TileBuilder &tiles, MatrixType type, const SharedOperandSlice &a, const SharedOperandSlice &b,
                        mlir::ValueRange sums, mlir::Value accumulates = nullptr);
/// The same with this warp's 16 rows of A in registers.
ProductSums multiplyAdd(TileBuilder &tiles, MatrixType type, const FragmentA &a, const SharedOperandSlice &b,
                        mlir::ValueRange sums, mlir::Value accumulates = nullptr);
void commitProducts(TileBuilder &tiles);
/// Waits until at most `open` committed groups are pending. `sums` and the result are those of any products that may
/// complete here. `kept` are the registers (i32) that these products read as A, fragment by fragment.
ProductSums awaitProducts(TileBuilder &tiles, int64_t open, mlir::ValueRange sums, mlir::ValueRange kept = {});

} // namespace attnc
