//===- GradientTiles.h - layout of a worker's scratch in the tiled gradient -----------------------------------===//
//
// The tiles of TiledGradient.h, memrefs with one index, row-major in the order that brackets state. [row] and [key]
// count in the block, and features are padded to whole vectors. Elements are f32, except where i32 is stated.
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

  /// Tiles of an additive score, with the symbols of AdditiveGradient.h.
  struct Additive {
    /// [row][feature]: a, exp(2a); [feature][key]: b, exp(2b).
    Value rowTerms, rowPowers, keyTerms, keyPowers;
    Value coefficients; ///< [feature]: c
    /// Sums of g r (1 - r): [row][feature], over keys; [feature][key], over rows.
    Value rowSums, keySums;
    /// Over all pairs: [feature][lane], g r; [lane], g (the lanes are to be added); [feature], the gradient of a + b.
    Value coefficientSums, pairSum, termSums;
  };

  Values keyPanels;               ///< for each dot product: Kt (KeyPanels.h)
  Value valuePanel;               ///< Vt
  std::vector<Additive> additive; ///< for each additive score
  /// `scores`: [row][key], for each dot product, then each additive score; at least one. First `scaled` of its
  /// PairReduction; finishWeight replaces scores[0] by P.
  /// `gradients`: the same shapes, dS of the product. gradients[0] is first nd + dO V.
  Values scores, gradients;
  Values partials;            ///< for each of AttendGradientProblem::keptPartials: [row][key]
  Value tileEnds, firstTiles; ///< i32, tables of TrimmedTiles: [row / 4], [key / 4]
  Value rowLse, rowDelta;     ///< [row of the batch]: nl, nd
};

} // namespace attnc
