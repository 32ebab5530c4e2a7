//===- GradientTiles.h - layout of a worker's scratch in the tiled gradient -----------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/Tiled/TiledContext.h"

namespace attnc {

struct GradientTiles {
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;
  explicit GradientTiles(const TiledContext &context);

  /// Tiles of an additive score.
  struct Additive {
    Value rowTerms, rowPowers, keyTerms, keyPowers; ///< [row][feature], [feature][key]
    Value coefficients;                             ///< [feature]
    Value rowSums, keySums;                         ///< of g r (1 - r), laid out as the terms
    Value coefficientSums, pairSum, termSums;       ///< [feature][lane] of g r, [lane] of g, [feature]
  };

  Values keyPanels;               ///< [dot]: Kt
  Value valuePanel;               ///< Vt
  std::vector<Additive> additive; ///< [additive score]
  Values scores, gradients;       ///< [dot, then additive]: P (the first), scores (the others); dS
  Values partials;                ///< [materialised partial]
  Value tileEnds, firstTiles;     ///< of TrimmedTiles
  Value rowLse, rowDelta;         ///< nl, nd
};

} // namespace attnc
