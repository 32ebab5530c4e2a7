//===- GradientSums.h - the three products that add a block to the results ------------------------------------===//
//
//   dV += P' dO,   dK += dS' Q,   dQ += dS K           register tiles of features, sums in the results themselves
//
// with the symbols of TiledGradient.h; dK and dQ for each dot product, each if it is wanted. If keys are split, dQ of
// all splits but the first is added to partial sums (SplitRowSums). If a sum is NaN, it is computed again without the
// terms whose P or dS is 0: for a masked pair, 0 times a NaN or infinite factor is NaN.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/Tiled/PartialSums.h"
#include "compiler/Codegen/CPU/AttendGradient/Tiled/RegisterTiles.h"
#include "compiler/Codegen/CPU/AttendGradient/Tiled/TrimmedTiles.h"

namespace attnc {

/// into[first + r][:] += sum_k tile(r, k) factor[factorFirst + k][:] for r < count, k < factorCount.
struct GradientSum {
  mlir::Value tile;          ///< flat, rows of tileKv elements
  bool isTransposed = false; ///< tile(r, k) is tile[k][r]
  Matrix factor, into;
  mlir::Value factorFirst, factorCount, first, count;
  bool isTrimmed = false; ///< PairBlock::isTrimmed
  bool mayDrop = false;   ///< a pair whose tile(r, k) is 0 may be masked
  TrimTables trimmed;     ///< if isTrimmed
};

class GradientSums : TiledContext {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;
  GradientSums(const TiledContext &context, const MatrixRows &matrices, const TrimmedTiles &trimmed,
               const SplitRowSums &rowSums, const GradientTiles &tiles)
      : TiledContext(context), frame(context.phase.frame), matrices(matrices), trimmed(trimmed), rowSums(rowSums),
        tiles(tiles) {}

  /// Emits the products for a block, whose P and dS have been computed (ScoreGradients).
  void accumulate(const PairBlock &block);

private:
  void add(const GradientSum &sum);

  KernelFrame &frame;
  const MatrixRows &matrices;
  const TrimmedTiles &trimmed;
  const SplitRowSums &rowSums;
  const GradientTiles &tiles;
};

} // namespace attnc
