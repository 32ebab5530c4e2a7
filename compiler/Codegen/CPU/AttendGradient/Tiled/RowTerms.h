//===- RowTerms.h - row terms of the gradient: lse and delta of FlashAttention-2 ------------------------------===//
//
//   nl = -log2e lse[i],   nd = s (dL[i] - sum_v dO[i,v] O[i,v])
//
// A row without selected pairs has lse = -inf; its nl is -inf too, so that its attention weights are 0. A sink is a key
// without a value; its gradient is exp(sink - lse) (dL - sum_v dO O).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/Tiled/GradientTiles.h"
#include "compiler/Codegen/CPU/AttendGradient/Tiled/MatrixRows.h"

namespace attnc {

class RowTerms : TiledContext {
public:
  using Value = mlir::Value;
  RowTerms(const TiledContext &context, const MatrixRows &matrices, const ElementGradients &elements,
           const GradientTiles &tiles)
      : TiledContext(context), matrices(matrices), elements(elements), tiles(tiles) {}

  /// Fills the tiles nl and nd of a batch; the first split adds the gradients of sinks.
  void compute(const KeySplit &split, Value valueScale);

private:
  void addSink(RegionVectoriser point, Value lse, Value difference);

  const MatrixRows &matrices;
  const ElementGradients &elements;
  const GradientTiles &tiles;
};

} // namespace attnc
