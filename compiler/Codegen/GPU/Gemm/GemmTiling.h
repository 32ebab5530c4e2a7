//===- GemmTiling.h - how a matrix product is cut up on a device --------------------------------------------------===//
//
// A block has `rows` x `columns` of the result of one matrix of the batch. It passes `depth` of both operands at a time
// through shared memory, in `stages`: while threads multiply one, the next are on their way.
//
//   form         operands stored as                              a step of a thread, warp or warp group
//   warp groups  both bf16 or both f16, in whole units;          wgmma on rows / groups of the block, 64 at a time, and
//   (sm_90a)     f32 in whole units with the depth along         all of its columns, sums in registers
//                memory, where the kernel carries attn.tf32
//   matrix       both bf16 or both f16, in whole units;          mma.sync on warpRows x warpColumns of the block, sums
//                f32 where the kernel carries attn.tf32          in fragments
//   scalar       anything else: f32, or widened to it            an outer product of rows / 16 x columns / 16 of f32
//
// The sums then lie in shared memory, in place of the tiles, and go through the epilogue to the result, four neighbours
// a thread where the result has so many.
//
// What sizes have to satisfy:
//
//   warp groups  rows are a multiple of groups * 64, columns of 64 and at most 256; a thread's sums, rows * columns /
//                groups / 128, are at most 128; threads = (groups + 1) * 128, at most 384, for each has 65536 / threads
//                registers; at least three stages. The hardware copies tiles whose boxes have sides of at most 256
//                (TensorMap.h), threads copy others
//   matrix       rows / warpRows * columns / warpColumns = threads / 32; warpRows and warpColumns are multiples of 16
//   scalar       rows and columns are multiples of 64, and threads = 256 (ScalarBlock.cpp: 16 x 16 of them)
//   all          stages * (rows + columns) * bytes of a step, and rows * columns * 4 for the sums, fit a block's
//                memory: 227 KB on sm_90a, 99 KB on the smallest devices that run the image for sm_80
//
// Blocks are numbered in groups of `groupRowBlocks` along the rows, and within those along the rows first: those that
// run at a time share rows of left and columns of right, which the second cache holds.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Gemm/GemmOperand.h"
#include "compiler/Codegen/GPU/Tile/Fragment.h"

namespace attnc {

struct GemmTiling {
  static constexpr int64_t groupRowBlocks = 16;

  /// Matrix or scalar; of products that have at most so many rows.
  static GemmTiling forWarps(const GemmProblem &problem, int64_t mostRows);
  /// Nothing where warp groups don't take the operands as they lie.
  static std::optional<GemmTiling> forWarpGroups(const GemmProblem &problem, int64_t mostRows);
  /// Whether those forms take the operands: by how they are stored, and how they lie.
  static Verdict suitsTensorCores(const GemmProblem &problem);
  static Verdict suitsWarpGroups(const GemmProblem &problem);
  /// Of the same problem: whether blocks are the same.
  bool operator==(const GemmTiling &other) const;

  std::optional<MatrixType> matrix; ///< what tensor cores multiply; nothing in the scalar form
  int64_t rows, columns, depth, stages, threads;
  int64_t warpRows = 0, warpColumns = 0; ///< matrix
  int64_t groups = 0;                    ///< warp groups that multiply; 0 in the other forms
  int64_t panelRowBytes = 0;             ///< of tiles (SharedTile.h)
  bool prefersMaps = false;              ///< the hardware copies tiles where it can (TensorMap.h)

  /// Blocks along the rows and the columns of one matrix.
  SizeExpr rowBlocks, columnBlocks;

private:
  GemmTiling() = default;
  void countBlocks(const GemmProblem &problem);
};

} // namespace attnc
