//===- GradientTiles.h - layout of a worker's scratch in the tiled gradient of attention --------------------------===//
//
// TiledGradient.h explains the algorithm and its symbols. A tile is a memref with one index, row-major in the order
// that brackets state. [row] counts the tileQ rows of a block and [key] its tileKv keys. Features and values are padded
// to whole vectors. Elements are f32, except where i32 is stated. All contents are undefined until a part of the
// algorithm writes them.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/Tiled/TiledContext.h"

namespace attnc {

struct GradientTiles {
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;
  /// Allocates all tiles in the scratch of the context's phase.
  explicit GradientTiles(const TiledContext &context);

  /// Tiles of an additive score, with the symbols a, b, c, g and r of AdditiveGradient.h.
  struct Additive {
    /// rowTerms and rowPowers, [row][feature]: a, exp(2a). keyTerms and keyPowers, [feature][key]: b, exp(2b).
    Value rowTerms, rowPowers, keyTerms, keyPowers;
    Value coefficients; ///< [feature]: c
    /// Sums of g r (1 - r). rowSums, [row][feature]: over keys. keySums, [feature][key]: over rows.
    Value rowSums, keySums;
    /// Sums over all pairs of a batch. coefficientSums, [feature][lane]: of g r. pairSum, [lane]: of g. In both, each
    /// lane has a partial sum. termSums, [feature]: the gradient of a + b.
    Value coefficientSums, pairSum, termSums;
  };

  Values keyPanels;               ///< [dot product]: Kt (KeyPanels.h)
  Value valuePanel;               ///< Vt (KeyPanels.h)
  std::vector<Additive> additive; ///< [additive score]
  /// Tiles [row][key] for each dot product, then for each additive score; at least one of each kind. `scores` have the
  /// value of the product (PairReduction::scaled, times log2 e if the product is the score); ScoreGradients then
  /// replaces scores[0] by P. `gradients` have dS of the product, unspecified if no gradient of its operands is a
  /// result; gradients[0] has nd + dO V before.
  Values scores, gradients;
  Values partials;            ///< [AttendGradientProblem::keptPartials]: [row][key], the derivative
  Value tileEnds, firstTiles; ///< i32, the tables of TrimmedTiles.h: [row / 4], [key / 4]
  Value rowLse, rowDelta;     ///< for all rows of the batch, [row]: nl, nd
};

} // namespace attnc
