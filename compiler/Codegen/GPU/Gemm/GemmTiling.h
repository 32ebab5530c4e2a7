//===- GemmTiling.h - tile sizes of a matrix product on a device --------------------------------------------------===//
//
// A thread block computes `rows` x `columns` of the result (GemmProblem.h) for one batch number. It copies both
// operands through shared memory in k-tiles, which are slices of `depth` numbers of the depth, in `stages` pipeline
// stages: while threads multiply one k-tile, copies of the next ones are in flight. There are three algorithms:
//
//   algorithm    requirements on operands                        work of a thread, warp or warp group for a k-tile
//   warp groups  both bf16 or both f16, in 16-byte vectors;      wgmma on rows / groups of the block, 64 at a time, and
//   (sm_90a)     f32 in 16-byte vectors along the depth, if      all of its columns, sums in registers
//                the kernel has attn.tf32
//   matrix       both bf16 or both f16, in 16-byte vectors;      mma.sync on warpRows x warpColumns of the block, sums
//                f32 if the kernel has attn.tf32                 in fragments
//   scalar       none: f32, or widened to f32                    outer products of rows / 16 x columns / 16 of f32
//
// Finally a block writes its sums to shared memory, over the tiles, applies the epilogue to them and stores the result:
// four neighbours at a time for each thread, if the extent of the innermost column loop is a multiple of four.
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
// Block numbers are rasterised for reuse in the L2 cache. Row blocks form groups of `groupRowBlocks`. In a group, block
// numbers run over its row blocks first, then over the column blocks. Blocks that run at the same time then share rows
// of left and columns of right.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Gemm/GemmOperand.h"
#include "compiler/Codegen/GPU/Tile/Fragment.h"

namespace attnc {

/// Tile sizes and the algorithm of a kernel phase; created by forWarps() or forWarpGroups().
struct GemmTiling {
  static constexpr int64_t groupRowBlocks = 16;

  /// Tile sizes of the matrix algorithm or, if suitsTensorCores is no, of the scalar one. They are chosen for products
  /// with at most `maxRows` rows, and correct for more. A dynamic size counts as typicalSize (TensorMap.h).
  static GemmTiling forWarps(const GemmProblem &problem, int64_t maxRows);
  /// The same for the algorithm of warp groups; null if suitsWarpGroups is no.
  static std::optional<GemmTiling> forWarpGroups(const GemmProblem &problem, int64_t maxRows);
  /// Whether the matrix algorithm, or that of warp groups, supports the types and layouts of the operands; otherwise
  /// the reason, a phrase about the product.
  static Verdict suitsTensorCores(const GemmProblem &problem);
  static Verdict suitsWarpGroups(const GemmProblem &problem);
  /// Whether the code of blocks is the same, for two tilings of one problem by the same of the two functions.
  bool operator==(const GemmTiling &other) const;

  std::optional<MatrixType> matrix;              ///< type of tensor-core products; null for the scalar algorithm
  int64_t rows, columns, depth, stages, threads; ///< of a block; depth of a k-tile; pipeline stages; threads of a block
  int64_t warpRows = 0, warpColumns = 0;         ///< rows and columns of a warp; 0 but for the matrix algorithm
  int64_t groups = 0;                            ///< consumer warp groups; 0 for other algorithms
  int64_t panelRowBytes = 0;                     ///< bytes of a row of a panel (SharedTile.h); 0 for one panel
  bool prefersMaps = false;                      ///< the product is long enough for TMA copies to pay (TensorMap.h)

  /// Numbers of blocks along the rows and the columns of one matrix of the batch.
  SizeExpr rowBlocks, columnBlocks;

private:
  GemmTiling() = default;
  void countBlocks(const GemmProblem &problem);
};

} // namespace attnc
