//===- MultistageBlock.h - multistage matrix product: all threads copy and multiply -------------------------------===//
//
// The thread block of a matrix product (GemmBlock.h) whose threads all do the same: each copies a part of the tiles of
// left and right and computes a part of the sums. A k-tile is the part of left and right for `tiling.depth` numbers of
// the depth (GemmTiling.h); pipeline stages hold the next k-tiles.
//
//   copy k-tiles 0 .. stages - 2
//   for each k-tile:
//     wait for its copies; barrier
//     copy the k-tile `stages - 1` further on, over the previous one
//     sums = multiply(k-tile, sums)
//   barrier; writeSums
//   barrier; result = epilogue(sums)
//
// Subclasses distribute the sums of the block over threads: MatrixBlock.cpp (tensor cores) and ScalarBlock.cpp (f32).
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Gemm/GemmBlock.h"

namespace attnc {

/// The subclass implements the protected functions, which emit code for the executing thread; emit() calls them.
class MultistageBlock : public GemmBlock {
public:
  int64_t emit() override;

protected:
  using GemmBlock::GemmBlock;

  /// The sums of this thread, f32, all zero. The subclass chooses their number and order.
  virtual Values zeroSums() = 0;
  /// `sums` plus this thread's part of the product of one k-tile. The k-tile is in the stages at offsets `stageLeft` of
  /// the tile `left` and `stageRight` of the tile `right` (i32, SharedTile::stageOffset); it is `tiling.rows` x
  /// `tiling.depth` of left by `tiling.depth` x `tiling.columns` of right.
  virtual Values multiply(mlir::Value stageLeft, mlir::Value stageRight, mlir::ValueRange sums) = 0;
  /// Writes this thread's sums to stage 0 of `target`, which has `tiling.rows` rows of `tiling.columns` f32.
  virtual void writeSums(mlir::ValueRange sums, const SharedTile &target) = 0;

private:
  Values multiplyAll();
};

} // namespace attnc
