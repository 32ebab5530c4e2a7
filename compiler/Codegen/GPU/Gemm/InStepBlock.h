//===- InStepBlock.h - a block of a matrix product whose threads all do the same ----------------------------------===//
//
//   copy steps 0 .. stages - 2
//   for each step of the depth:
//     wait for its copies; barrier
//     copy the step `stages - 1` further on, over the one before this
//     sums = multiply(step, sums)
//   barrier; writeSums
//   barrier; result = epilogue(sums)
//
// How threads share the sums of the block among them is the form's.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Gemm/GemmBlock.h"

namespace attnc {

class InStepBlock : public GemmBlock {
public:
  int64_t emit() override;

protected:
  using GemmBlock::GemmBlock;

  /// The sums of this thread, f32, as many as it has, all zero.
  virtual Values zeroSums() = 0;
  /// `sums`, plus the products of one step of the depth: `tiling.rows` x `tiling.depth` of left, in the stage at
  /// `stageLeft` (SharedTile::stage) of `left`, with `tiling.depth` x `tiling.columns` of right in that of `right`.
  virtual Values multiply(mlir::Value stageLeft, mlir::Value stageRight, mlir::ValueRange sums) = 0;
  /// Writes this thread's sums to `target`, which has `tiling.rows` rows of `tiling.columns` f32.
  virtual void writeSums(mlir::ValueRange sums, const SharedTile &target) = 0;

private:
  Values multiplyAll();
};

} // namespace attnc
