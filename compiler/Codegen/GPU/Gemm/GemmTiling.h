//===- GemmTiling.h - tile sizes of a matrix product on a device --------------------------------------------------===//
//
// A block computes `rows` x `columns` of the result (GemmProblem.h) for one batch number. It copies both operands
// through shared memory in k-tiles of `depth`, in `stages` pipeline stages: while threads multiply one, the next ones
// are in flight.
//
//   algorithm    requirements on operands                        work of a thread, warp or warp group for a k-tile
//   warp groups  both bf16 or both f16, in 16-byte vectors;      wgmma on rows / groups of the block, 64 at a time, and
//   (sm_90a)     f32 in 16-byte vectors along the depth, if      all of its columns, sums in registers
//                the kernel has attn.tf32
//   matrix       both bf16 or both f16, in 16-byte vectors;      mma.sync on warpRows x warpColumns of the block, sums
//                f32 if the kernel has attn.tf32                 in fragments
//   scalar       any: f32, or widened to f32                     an outer product of rows / 16 x columns / 16 of f32
//
// The sums are then written to shared memory, over the tiles, and go through the epilogue to the result, four
// neighbours for each thread if the result is that long.
//
// Constraints on sizes:
//
//   warp groups  rows are a multiple of groups * 64, columns of 64 and at most 256; the sums of a thread, rows *
//                columns / groups / 128, are at most 128; threads = (groups + 1) * 128, at most 384, as each has
//                65536 / threads registers; at least three stages. TMA copies tiles whose boxes have sides of at most
//                256 (TensorMap.h), threads copy others
//   matrix       rows / warpRows * columns / warpColumns = threads / 32; warpRows and warpColumns are multiples of 16
//   scalar       rows and columns are multiples of 64, and threads = 256 (ScalarBlock.cpp: 16 x 16 of them)
//   all          stages * (rows + columns) * bytes of a k-tile row, and rows * columns * 4 for the sums, fit the shared
//                memory of a block: 227 KB on sm_90a, 99 KB on the smallest devices that run the image for sm_80
//
// Block numbers are rasterised for L2 reuse: in groups of `groupRowBlocks` row blocks, and within a group along the
// rows first. Blocks that run at the same time then share rows of left and columns of right.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Gemm/GemmOperand.h"
#include "compiler/Codegen/GPU/Tile/Fragment.h"

namespace attnc {

struct GemmTiling {
  static constexpr int64_t groupRowBlocks = 16;

  /// Tiles of the matrix algorithm or, if it does not apply, the scalar one, for products with at most maxRows rows.
  static GemmTiling forWarps(const GemmProblem &problem, int64_t maxRows);
  /// The same for warp groups; null if they do not support the operands (suitsWarpGroups).
  static std::optional<GemmTiling> forWarpGroups(const GemmProblem &problem, int64_t maxRows);
  /// Whether tensor cores, or warp groups, support the types and layouts of the operands; otherwise the reason.
  static Verdict suitsTensorCores(const GemmProblem &problem);
  static Verdict suitsWarpGroups(const GemmProblem &problem);
  /// Whether blocks are the same, for tilings of the same problem by the same function.
  bool operator==(const GemmTiling &other) const;

  std::optional<MatrixType> matrix;              ///< type of tensor-core products; null for the scalar algorithm
  int64_t rows, columns, depth, stages, threads; ///< of a block; depth of a k-tile; pipeline stages; threads of a block
  int64_t warpRows = 0, warpColumns = 0;         ///< matrix
  int64_t groups = 0;                            ///< consumer warp groups; 0 for other algorithms
  int64_t panelRowBytes = 0;                     ///< panels of tiles (SharedTile.h); 0 for one panel
  bool prefersMaps = false;                      ///< copies by TMA if possible (TensorMap.h)

  /// Blocks along the rows and the columns of one matrix.
  SizeExpr rowBlocks, columnBlocks;

private:
  GemmTiling() = default;
  void countBlocks(const GemmProblem &problem);
};

} // namespace attnc
