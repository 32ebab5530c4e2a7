//===- KeyPanels.h - keys and values of a block, packed in panels, with scales folded in ----------------------===//
//
//   panel[key / L][feature][key % L] = scale * matrix[firstKey + key][feature]       L = schedule.panelLanes() keys
//
// The last key is repeated up to whole vectors, and keys after these are unspecified. Features that pad to whole
// vectors are 0.
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

  /// Computes the scales below for the open batch.
  void readScales();
  /// Emits the packing of tileKv keys from `firstKey` on: the key factors of dot products to GradientTiles::keyPanels,
  /// by their scales (and log2 e if the score is the product), the values to valuePanel, by valueScale.
  void pack(Value firstKey);

  Values dotScales; ///< for each dot product: f32, its factor (PairReduction::scales)
  Value valueScale; ///< f32: s of TiledGradient.h, with the factor of the product; 1 if it is not folded

private:
  void packStrided(const Matrix &matrix, Value panels, Value scale, Value firstKey);
  void packPanel(const Matrix &matrix, Value panel, Value scale, Value firstKey);

  const MatrixRows &matrices;
  const GradientTiles &tiles;
  Values scoreScales; ///< for each dot product: dotScales, with log2 e if the score is the product
};

} // namespace attnc
