//===- GemmTiling.h - how a matrix product is cut up on a device --------------------------------------------------===//
//
// A block has `rows` x `columns` of the result of one matrix of the batch. It passes `depth` of both operands at a time
// through shared memory, in `stages`: while threads multiply one, the next are on their way.
//
//   form     operands stored as                              a step of a thread or warp
//   matrix   both bf16 or both f16, in whole units;          mma.sync on warpRows x warpColumns of the block, sums in
//            f32 where the kernel carries attn.tf32          fragments
//   scalar   anything else: f32, or widened to it            an outer product of rows / 16 x columns / 16 of f32
//
// The sums then lie in shared memory, in place of the tiles, and go through the epilogue to the result, four neighbours
// a thread where the result has so many.
//
// What sizes have to satisfy:
//
//   matrix   rows / warpRows * columns / warpColumns = threads / 32; warpRows and warpColumns are multiples of 16
//   scalar   rows and columns are multiples of 64, and threads = 256 (ScalarBlock.cpp: 16 x 16 of them)
//   both     stages * (rows + columns) * bytes of a step, and rows * columns * 4 for the sums, fit a block's memory
//
// Blocks are numbered along the rows first: those that run at a time read few columns of right, and all of left, which
// the second cache holds.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Gemm/GemmOperand.h"
#include "compiler/Codegen/GPU/Tile/Fragment.h"

namespace attnc {

struct GemmTiling {
  explicit GemmTiling(const GemmProblem &problem);

  std::optional<MatrixType> matrix; ///< what tensor cores multiply; nothing in the scalar form
  int64_t rows, columns, depth, stages, threads;
  int64_t warpRows = 0, warpColumns = 0;

  /// Blocks along the rows and the columns of one matrix.
  SizeExpr rowBlocks, columnBlocks;
};

} // namespace attnc
