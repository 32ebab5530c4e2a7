//===- KeyPanels.h - packing of the keys and values of a block into panels, with scales folded in -----------------===//
//
//   panel[key / L][feature][key % L] = scale * matrix[firstKey + key][feature]       L = schedule.panelLanes() keys
//
// The matrix has the keys, or the values, as rows. These are the panels Kt and Vt of TiledGradient.h. If the block has
// fewer than tileKv keys, the last key of the batch is repeated up to whole vectors, and elements of later keys are
// unspecified. A panel has room for features up to whole vectors; ScoreGradients reads only the features that exist.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/Tiled/GradientTiles.h"
#include "compiler/Codegen/CPU/AttendGradient/Tiled/MatrixRows.h"

namespace attnc {

class KeyPanels : TiledContext {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;
  KeyPanels(const TiledContext &context, const MatrixRows &matrices, const GradientTiles &tiles)
      : TiledContext(context), matrices(matrices), tiles(tiles) {}

  /// Emits the computation of the scales below for the open batch, and sets them. Called once a batch, before pack().
  void readScales();
  /// Emits the packing of tileKv keys from number `firstKey` (index) of the open batch on. The key factor of each dot
  /// product goes to GradientTiles::keyPanels, multiplied with its scale (and log2 e if the score is the product). The
  /// values go to GradientTiles::valuePanel, multiplied with valueScale.
  void pack(Value firstKey);

  Values dotScales; ///< [dot product]: its factor (PairReduction::scales), a scalar f32
  /// A scalar f32: s of TiledGradient.h, the factor of the product times d score / d scaled; 1 unless
  /// AttendGradientProblem::isFolded.
  Value valueScale;

private:
  void packStrided(const Matrix &matrix, Value panels, Value scale, Value firstKey);
  void packPanel(const Matrix &matrix, Value panel, Value scale, Value firstKey);

  const MatrixRows &matrices;
  const GradientTiles &tiles;
  Values scoreScales; ///< for each dot product: dotScales, with log2 e if the score is the product
};

} // namespace attnc
