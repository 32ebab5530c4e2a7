//===- RowTerms.h - row terms of the gradient of attention: lse and delta of FlashAttention-2 ---------------------===//
//
//   nl = -log2e lse[i],   nd = s (dL[i] - sum_v dO[i,v] O[i,v])
//
// for each row i of a batch, with the symbols of TiledGradient.h; dL = 0 without a cotangent of lse. A row without
// selected pairs has lse = -inf. Its nl is -inf too, so that its attention weights are 0. A sink is a score without a
// value; its gradient is exp(sink - lse) (dL - sum_v dO O). TiledBlocks.cpp uses this class.
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

  /// Emits the code that fills GradientTiles::rowLse with nl and rowDelta with nd, for all rows of the open batch.
  /// `valueScale`, a scalar f32, is KeyPanels::valueScale; it takes the place of s. Split 0, or the only split, also
  /// adds the gradients of the sink's operands to the results.
  void compute(const KeySplit &split, Value valueScale);

private:
  void addSink(RegionVectoriser point, Value lse, Value difference);

  const MatrixRows &matrices;
  const ElementGradients &elements;
  const GradientTiles &tiles;
};

} // namespace attnc
