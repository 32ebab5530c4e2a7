//===- MultistageBlock.h - multistage matrix product: all threads copy and multiply -------------------------------===//
//
// A k-tile is the part of left and right for `tiling.depth` numbers of the depth (GemmTiling.h).
//
//   copy k-tiles 0 .. stages - 2
//   for each k-tile:
//     wait for its copies; barrier
//     copy the k-tile `stages - 1` further on, over the previous one
//     sums = multiply(k-tile, sums)
//   barrier; writeSums
//   barrier; result = epilogue(sums)
//
// Subclasses distribute the sums of the block over threads: MatrixBlock.cpp and ScalarBlock.cpp.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Gemm/GemmBlock.h"

namespace attnc {

class MultistageBlock : public GemmBlock {
public:
  int64_t emit() override;

protected:
  using GemmBlock::GemmBlock;

  /// The sums of this thread, f32, all zero.
  virtual Values zeroSums() = 0;
  /// `sums` plus this thread's part of the product of one k-tile: `tiling.rows` x `tiling.depth` of left, in the stage
  /// at offset `stageLeft` (SharedTile::stageOffset) of the tile `left`, by `tiling.depth` x `tiling.columns` of right,
  /// at `stageRight` of the tile `right`.
  virtual Values multiply(mlir::Value stageLeft, mlir::Value stageRight, mlir::ValueRange sums) = 0;
  /// Writes this thread's sums to `target`, which has `tiling.rows` rows of `tiling.columns` f32.
  virtual void writeSums(mlir::ValueRange sums, const SharedTile &target) = 0;

private:
  Values multiplyAll();
};

} // namespace attnc
