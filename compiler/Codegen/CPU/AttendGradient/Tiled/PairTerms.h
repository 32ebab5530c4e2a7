//===- PairTerms.h - terms of the score whose gradient has an element for each pair ---------------------------===//
//
// For a learned bias each pair of a batch has an element of its own (GradientTerm::isOfPairs): the first batch that
// shares the elements stores its gradients, later ones add, and the result is not cleared.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/Tiled/TiledContext.h"

namespace attnc {

class PairTerms : TiledContext {
public:
  using Value = mlir::Value;
  PairTerms(const TiledContext &context, const ElementGradients &elements)
      : TiledContext(context), elements(elements) {}

  /// i1: whether a result has more elements than there are pairs; null for a result that is always cleared.
  Value needsClearing(unsigned result) const;
  /// Finds the terms that the open batch stores.
  void openBatch();
  bool areStored() const {
    return llvm::any_of(isFirst, [](Value first) { return bool(first); });
  }
  /// Stores zeros in the terms of a block whose pairs are all dropped.
  void clear(const PairBlock &block) const;
  /// Adds the gradients of all terms for a vector of pairs: `gradientOf` multiplies the pairs' gradient with a partial.
  void add(RegionVectoriser &pair, llvm::function_ref<Value(Value partial)> gradientOf) const;

private:
  const ElementGradients &elements;
  LoopBuilder::Values isFirst; ///< [term]: its elements are stored; null where it adds
};

/// The formulas of a row, at `lane` of the block's keys and those that follow.
RegionVectoriser bindPairs(GradientPhase &phase, const RegionVectoriser &row, const PairBlock &block, mlir::Value lane);

} // namespace attnc
