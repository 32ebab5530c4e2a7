//===- ScoreGradients.h - attention weights and gradients of the scores of a block of pairs -------------------===//
//
//   P[i][k]  = exp2(log2e score(sum_f Q[i,f] Kt[f][k]) + nl)     0 where masked; lanes are keys
//   dS[i][k] = (nd + sum_v dO[i,v] Vt[v][k]) P                   times d score / d dot where that is not folded
//
// in register tiles, by panels (KeyPanels.h). A pair with the weight 0 (masked, or below 2^-100) has the gradient 0,
// even if its score's derivative is not finite.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/Tiled/AdditiveGradient.h"
#include "compiler/Codegen/CPU/AttendGradient/Tiled/KeyPanels.h"
#include "compiler/Codegen/CPU/AttendGradient/Tiled/PairTerms.h"
#include "compiler/Codegen/CPU/AttendGradient/Tiled/RegisterTiles.h"
#include "compiler/Codegen/CPU/AttendGradient/Tiled/TrimmedTiles.h"

namespace attnc {

class ScoreGradients : TiledContext {
public:
  using Value = mlir::Value;
  using Values = LoopBuilder::Values;

  ScoreGradients(const TiledContext &context, const MatrixRows &matrices, const KeyPanels &panels,
                 const PairTerms &terms, const TrimmedTiles &trimmed, std::vector<AdditiveGradient> &additive,
                 const GradientTiles &tiles);

  void computeWeights(const PairBlock &block);
  void computeGradients(const PairBlock &block);

private:
  /// Computes the stored value of a product in registers: that of the tile's row `row` and the block's keys from `lane`
  /// on.
  using Finish = llvm::function_ref<Value(int64_t row, Value lane, Value product)>;
  /// tile = finish(rowTerms + matrix * panel)
  struct PanelProduct {
    const Matrix &matrix;
    Value panel, tile, rowTerms; ///< the latter null for none
  };
  void forEachTileOf(const PairBlock &block, llvm::function_ref<void(Value row, RegisterTile)> body);
  void multiplyByPanel(const PanelProduct &product, const PairBlock &block, Value row, RegisterTile size,
                       Finish finish);
  bool finishesInRegisters(const PairBlock &block);
  std::vector<RegionVectoriser> bindRows(const PairBlock &block, Value row, int64_t rows);
  void prefetchPairs(const PairBlock &block, Value row, int64_t rows, bool ofResults);
  void computeTile(const PairBlock &block, Value row, int64_t rows, llvm::function_ref<void()> compute);
  void finishWeights(const PairBlock &block, Value row, RegisterTile size);
  Value finishWeight(const PairBlock &block, RegionVectoriser &pair, Value place, Value rowTerm);
  void finishGradients(const PairBlock &block, Value row, RegisterTile size);
  Value finishGradient(const PairBlock &block, RegionVectoriser &pair, Value place, Value gradient);

  Value tileAt(Value row, Value lane) const { return loops.add(loops.mul(row, schedule.tileKv), lane); }
  Value at(int64_t vector) const { return loops.constant(vector * schedule.lanes); }
  int64_t keyVectors() const { return schedule.tileKv / schedule.lanes; }
  /// Vectors of keys of a block whose register tiles are of `size`: several panels, or as many as the tiles.
  int64_t vectorsOfBlock(RegisterTile size) const {
    return schedule.tileKv == schedule.panelLanes() ? size.vectors : keyVectors();
  }

  const MatrixRows &matrices;
  const KeyPanels &panels;
  const PairTerms &terms;
  const TrimmedTiles &trimmed;
  std::vector<AdditiveGradient> &additive;
  const GradientTiles &tiles;
};

} // namespace attnc
