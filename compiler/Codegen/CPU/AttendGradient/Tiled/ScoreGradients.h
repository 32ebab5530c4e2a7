//===- ScoreGradients.h - attention weights P and score gradients dS of a block of pairs --------------------------===//
//
//   P[i][k]  = exp2(log2e score(sum_f Q[i,f] Kt[f][k]) + nl)     0 where masked; lanes are keys
//   dS[i][k] = (nd + sum_v dO[i,v] Vt[v][k]) P                   times d score / d (Q K) if that is not folded
//
// with the symbols of TiledGradient.h. Both products are computed in register tiles from panels (KeyPanels.h), and
// additive scores by AdditiveGradient. If the score is the product, Kt contains log2 e, and score() is not multiplied
// with it again. A score of several products has a dS for each: the gradient of the product's sum without its scales. A
// pair whose weight is 0 (masked, or below 2^-100) has the gradient 0, even if the derivative of its score is not
// finite; this is not tested in whole blocks (PairBlock::isWhole) if the score is the product. TiledBlocks.cpp uses
// this class.
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

  /// Emits the computation of P of a block to GradientTiles::scores[0], and of the derivatives that depend on products
  /// to GradientTiles::partials. RowTerms must have computed the batch's rows, and KeyPanels and each AdditiveGradient
  /// must have packed the block.
  void computeWeights(const PairBlock &block);
  /// Emits the computation of dS to GradientTiles::gradients, from P, for each product with an operand whose gradient
  /// is a result (the tiles of the others are unspecified), and the addition of the gradients of the score's terms
  /// (PairTerms) to the results. Called after computeWeights() of the block.
  void computeGradients(const PairBlock &block);

private:
  /// Returns the vector to store for a vector of sums in registers, `product`: that of row `row` of the register tile
  /// and the block's keys from number `lane` on.
  using Finish = llvm::function_ref<Value(int64_t row, Value lane, Value product)>;
  /// Computes the stored value of pairs from their products at `place` of the tiles.
  using FinishPair = llvm::function_ref<Value(RegionVectoriser &pair, Value place, Value rowTerm)>;
  /// tile = finish(rowTerms + matrix * panel)
  struct PanelProduct {
    const Matrix &matrix;
    Value panel, tile, rowTerms; ///< tiles; rowTerms, [row of the batch], is null for zeros
  };
  void forEachTileOf(const PairBlock &block, llvm::function_ref<void(Value row, RegisterTile)> body);
  Value rowIn(const PairBlock &block, Value row);
  void multiplyByPanel(const PanelProduct &product, const PairBlock &block, Value row, RegisterTile size,
                       Finish finish);
  bool finishesInRegisters(const PairBlock &block);
  std::vector<RegionVectoriser> bindRows(const PairBlock &block, Value row, int64_t rows);
  void prefetchPairs(const PairBlock &block, Value row, int64_t rows, bool ofResults);
  void computeTile(const PairBlock &block, Value row, int64_t rows, llvm::function_ref<void()> compute);
  void finishTile(const PairBlock &block, Value row, RegisterTile size, Value tile, Value rowTerms, FinishPair finish);
  void bindProducts(RegionVectoriser &pair, Value place);
  Value finishWeight(const PairBlock &block, RegionVectoriser &pair, Value place, Value rowTerm);
  Value finishGradient(const PairBlock &block, RegionVectoriser &pair, Value place, Value gradient);

  Value tileAt(Value row, Value lane) const { return loops.add(loops.mul(row, schedule.tileKv), lane); }
  Value at(int64_t vector) const { return loops.constant(vector * schedule.lanes); }
  int64_t keyVectors() const { return schedule.tileKv / schedule.lanes; }
  /// Vectors of keys that a row of register tiles of `size` covers: all of the block's panels, or, if there is one
  /// panel, size.vectors, as tiles may be narrower than it.
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
