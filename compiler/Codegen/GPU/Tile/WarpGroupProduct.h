//===- WarpGroupProduct.h - matrices that a warp group multiplies while it goes on --------------------------------===//
//
// wgmma: D[64 x n] += A[64 x k] * B[k x n] by four warps, where n is a multiple of 8 up to 256, and k 16 for elements
// of 16 bits, 8 for tf32. B lies in shared memory, A there too or in registers, and D is in registers: warp w has rows
// 16 w .. 16 w + 15, as fragments of 8 columns beside each other (Fragment.h).
//
//   sums = beginProducts(sums)                     nothing that was done to registers before reaches into the products
//   sums = multiplyAdd(..., sums) ...
//   closeProducts()                                a group of products
//   ... other things; sums, A's registers and the tiles are not to be touched
//   sums = awaitProducts(open, sums, kept)         until at most so many groups are under way; A's registers of those
//                                                  that end here are kept as they are until then
//
// The hardware finds a matrix in shared memory by a descriptor, in a SharedTile whose panels have rows of 32, 64 or 128
// bytes, the exchange of units included.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Tile/Fragment.h"
#include "compiler/Codegen/GPU/Tile/WarpGroup.h"

namespace attnc {

/// Rows of A and D.
inline constexpr int64_t warpGroupRows = 64;

/// A part of a SharedOperand as a product takes it.
struct OperandPartInShared {
  mlir::Value descriptor; ///< i64
  bool isTurned;
};

/// A matrix in shared memory, A or B, from which products read parts.
class SharedOperand {
public:
  /// `columnsAreDepth`: k runs along the tile's rows in memory; else along its columns, which elements of 16 bits may.
  SharedOperand(const SharedTile &tile, MatrixType type, bool columnsAreDepth);

  /// The part of the stage at `stage` (SharedTile::stage) that begins at `outer` (i32), the row of A or column of B,
  /// and at `k`, a multiple of productDepth. `outer` is a multiple of 8, or of a panel where k runs along the columns.
  OperandPartInShared part(TileBuilder &tiles, mlir::Value stage, mlir::Value outer, int64_t k) const;

private:
  mlir::Value describe(TileBuilder &tiles, mlir::Value place) const;

  const SharedTile tile;
  const MatrixType type;
  const bool isTurned;
};

using ProductSums = TileBuilder::Values; ///< f32, half as many as columns; those of FragmentD in fours

ProductSums beginProducts(TileBuilder &tiles, mlir::ValueRange sums);
/// sums + a * b; where `keepsSums` (i1, or null for true) is false, a * b.
ProductSums multiplyAdd(TileBuilder &tiles, MatrixType type, const OperandPartInShared &a, const OperandPartInShared &b,
                        mlir::ValueRange sums, mlir::Value keepsSums = nullptr);
/// The same with this warp's 16 rows of A in registers.
ProductSums multiplyAdd(TileBuilder &tiles, MatrixType type, const FragmentA &a, const OperandPartInShared &b,
                        mlir::ValueRange sums, mlir::Value keepsSums = nullptr);
void closeProducts(TileBuilder &tiles);
/// `kept`: the matrices in registers (i32) that the products which end here read, one behind the other.
ProductSums awaitProducts(TileBuilder &tiles, int64_t open, mlir::ValueRange sums, mlir::ValueRange kept = {});

} // namespace attnc
