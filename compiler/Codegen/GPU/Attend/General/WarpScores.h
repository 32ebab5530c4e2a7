//===- WarpScores.h - scores and mask of a block of keys, one key for each thread ---------------------------------===//
//
// WarpScores is the part of AttendGeneral that evaluates the mask and score formulas. A warp has a few rows (queries)
// and visits keys in blocks of 32; each thread evaluates the pairs of all rows with its own key. Arrays [row] have an
// element for each row of the warp.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/General/WarpContext.h"

namespace attnc {

/// Emits the code.
class WarpScores : public WarpContext {
public:
  /// [row], i1: whether the thread's pair takes part, that is, its key is in the range and the mask does not drop it.
  /// `all` (i1) is true only if no pair of the block is masked; the mask is then not evaluated. `block.unmasked` is not
  /// read.
  Values unmaskedPairs(const KeyBlock &block, Value all) const;
  /// i1, the same in all threads: whether any thread of the warp has an unmasked pair in `block.unmasked`.
  Value hasUnmasked(const KeyBlock &block) const;
  /// [row], vectors of one f32: the scores of the thread's pairs, multiplied by Normaliser::scoreScale(). Dropped pairs
  /// have Normaliser::droppedScore(). A pair whose score is -inf is dropped too: the function clears its flag in
  /// `block.unmasked`.
  Values compute(KeyBlock &block) const;
  /// Emits a check of the subscripts of `formula` that come from data, for the pairs whose `unmasked` ([row], i1) is
  /// true. A subscript out of range sets the status. If `sizes` is not empty, the check covers all values below `sizes`
  /// (index) of the last arguments of the formula (RegionVectoriser::checkSubscripts).
  void check(const KeyBlock &block, mlir::Region &formula, const Values &unmasked, ValueRange sizes = {}) const;

private:
  Values computeProduct(const PairReduction &product, std::vector<RegionVectoriser> &pairs, Value key) const;
  Values sumFeatures(const PairReduction &product, Value key) const;
};

/// Emits the evaluation, for each of `pairs`, of `value` in a formula, or of the result of `formula`. `pairs` are
/// formulas bound to a row and a key (WarpContext::bindPairs); the result has an element for each.
LoopBuilder::Values evaluateForRows(std::vector<RegionVectoriser> &pairs, mlir::Value value);
LoopBuilder::Values evaluateForRows(std::vector<RegionVectoriser> &pairs, mlir::Region &formula);

} // namespace attnc
