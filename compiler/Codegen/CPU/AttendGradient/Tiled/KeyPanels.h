//===- KeyPanels.h - keys and values of a block, packed in panels, with scales folded in ----------------------===//
//
//   panel[key / L][feature][key % L] = scale * matrix[firstKey + key][feature]          L: keys of a register tile
//
// The last key is repeated past the end.
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

  /// Computes the scales of a batch.
  void readScales();
  void pack(Value firstKey);

  Values dotScales; ///< [dot]: f32, the factor of the product
  Value valueScale; ///< f32: s

private:
  void packPanel(const Matrix &matrix, Value panel, Value scale, Value firstKey);

  const MatrixRows &matrices;
  const GradientTiles &tiles;
  Values scoreScales; ///< [dot]: with log2e where the product is the score
};

} // namespace attnc
