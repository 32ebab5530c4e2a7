//===- WarpScores.h - scores and mask of a block of keys, one key for each thread ---------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/General/WarpContext.h"

namespace attnc {

class WarpScores : public WarpContext {
public:
  /// [row], i1: whether the thread's pair takes part: its key is in the range, and the mask does not drop it. `all`
  /// (i1) is true if no pair of the block is masked, so that the mask is not evaluated.
  Values unmaskedPairs(const KeyBlock &block, Value all) const;
  /// i1: whether any thread of the warp has an unmasked pair in `block.unmasked`.
  Value hasUnmasked(const KeyBlock &block) const;
  /// [row], vectors of one lane: scores, scaled as the normaliser requires (scoreScale), or its droppedScore. A pair
  /// whose score is -inf is dropped: this clears its flag in `block.unmasked`.
  Values compute(KeyBlock &block) const;
  /// Emits the check of subscripts from data in a formula, for the pairs with `unmasked`; the status reports those out
  /// of range. The last arguments of the formula run over all values below `sizes` (RegionVectoriser::checkSubscripts).
  void check(const KeyBlock &block, mlir::Region &formula, const Values &unmasked, ValueRange sizes = {}) const;

private:
  Values computeProduct(const PairReduction &product, std::vector<RegionVectoriser> &pairs, Value key) const;
  Values sumFeatures(const PairReduction &product, Value key) const;
};

/// [row]: the value of a formula, or a value in one, for each of `pairs`, the formulas bound to a row and a key.
LoopBuilder::Values evaluateForRows(std::vector<RegionVectoriser> &pairs, mlir::Value value);
LoopBuilder::Values evaluateForRows(std::vector<RegionVectoriser> &pairs, mlir::Region &formula);

} // namespace attnc
