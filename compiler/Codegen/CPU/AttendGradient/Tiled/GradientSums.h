//===- GradientSums.h - the products that add a block of pairs to the gradients dV, dK and dQ ---------------------===//
//
//   dV += P' dO,   dK += dS' Q,   dQ += dS K           register tiles of features, sums in the results themselves
//
// with the symbols of TiledGradient.h. dK and dQ exist for each dot product of the score. A gradient is computed only
// if it is a result of the kernel. If keys are split among chunks, all splits but the first add dQ to partial sums
// (SplitRowSums). If the mask may drop pairs of the block and the sums of a register tile contain a NaN, they are
// computed again without the terms whose P or dS is 0: for a masked pair, 0 times a NaN or infinite factor is NaN.
// TiledBlocks.cpp uses this class.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/Tiled/PartialSums.h"
#include "compiler/Codegen/CPU/AttendGradient/Tiled/RegisterTiles.h"
#include "compiler/Codegen/CPU/AttendGradient/Tiled/TrimmedTiles.h"

namespace attnc {

/// One product: into[first + r][:] += sum_k tile(r, k) factor[factorFirst + k][:] for r < count, k < factorCount.
/// Values are of type index, except `tile`.
struct GradientSum {
  mlir::Value tile;          ///< P or dS of the block: flat memref of f32, rows of tileKv elements
  bool isTransposed = false; ///< tile(r, k) is tile[k][r]
  Matrix factor, into;
  mlir::Value factorFirst, factorCount, first, count;
  bool isTrimmed = false; ///< PairBlock::isTrimmed: terms of pairs that `trimmed` describes are omitted
  bool mayDrop = false;   ///< whether pairs may be masked, so that sums with a NaN are computed again (see above)
  TrimTables trimmed;     ///< the tables of the block; read only if isTrimmed
};

class GradientSums : TiledContext {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;
  GradientSums(const TiledContext &context, const MatrixRows &matrices, const TrimmedTiles &trimmed,
               const SplitRowSums &rowSums, const GradientTiles &tiles)
      : TiledContext(context), frame(context.phase.frame), matrices(matrices), trimmed(trimmed), rowSums(rowSums),
        tiles(tiles) {}

  /// Emits the products of a block. Requires P and dS of the block in GradientTiles (ScoreGradients).
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
