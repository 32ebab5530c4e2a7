//===- PairTerms.h - terms of the score whose gradient has an element for each pair ---------------------------===//
//
// For a learned bias each pair of a batch has an element of its own (GradientTerm::isOfPairs): the first batch that
// shares the elements stores its gradients, later ones add, and the result is not cleared. The class also adds the
// gradients of all other terms, whose results are cleared.
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

  /// i1: whether a result must be cleared because it has more elements than pairs; null for a result that is always
  /// cleared, as it is not the gradient of a term of pairs.
  Value needsClearing(unsigned result) const;
  /// Computes which terms the open batch stores. Called for each batch, before all below.
  void openBatch();
  /// Whether there are terms of pairs, which a batch may store.
  bool areStored() const {
    return llvm::any_of(isFirst, [](Value first) { return bool(first); });
  }
  /// Stores zeros in the terms of pairs that the open batch stores, for a block whose pairs are all dropped.
  void clear(const PairBlock &block) const;
  /// Adds (or stores) the gradients of all terms for a vector of pairs. `gradientOf` returns the vector of gradients
  /// for a derivative: its product with the cotangents of the pairs' scores.
  void add(RegionVectoriser &pair, llvm::function_ref<Value(Value partial)> gradientOf) const;

private:
  const ElementGradients &elements;
  LoopBuilder::Values isFirst; ///< for each term of pairs, i1: the open batch stores it; null for other terms
};

/// The formulas of a row, with the block's keys from number `lane` on (counted from its first) in the lanes; lanes past
/// its last key are inactive.
RegionVectoriser bindPairs(GradientPhase &phase, const RegionVectoriser &row, const PairBlock &block, mlir::Value lane);

} // namespace attnc
