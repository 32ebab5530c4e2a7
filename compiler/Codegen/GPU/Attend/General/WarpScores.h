//===- WarpScores.h - scores and mask of a block of keys, one key for each thread ---------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/General/WarpContext.h"

namespace attnc {

class WarpScores : public WarpContext {
public:
  /// The mask of the thread's pairs; `all` (i1) is true if no pair of the block is masked.
  Values unmaskedPairs(const KeyBlock &block, Value all) const;
  /// i1: whether any thread has an unmasked pair.
  Value hasUnmasked(const KeyBlock &block) const;
  /// Scores as the normaliser requires them. A pair whose score is -inf is dropped.
  Values compute(KeyBlock &block) const;
  /// Reports subscripts out of range in a formula, for unmasked pairs.
  void check(const KeyBlock &block, mlir::Region &formula, const Values &unmasked, ValueRange sizes = {}) const;

private:
  Values computeProduct(const PairReduction &product, std::vector<RegionVectoriser> &pairs, Value key) const;
  Values sumFeatures(const PairReduction &product, Value key) const;
};

/// A formula, or a value of one, for each row.
LoopBuilder::Values evaluateForRows(std::vector<RegionVectoriser> &pairs, mlir::Value value);
LoopBuilder::Values evaluateForRows(std::vector<RegionVectoriser> &pairs, mlir::Region &formula);

} // namespace attnc
