//===- PairTerms.h - gradients of the terms of a score, such as a learned bias ------------------------------------===//
//
// A term is a load in the score outside of products (GradientTerm). For a term of pairs
// (GradientTerm::hasElementPerPair), such as a learned bias, each pair of a batch has an element of its own. The first
// of the batches that share the elements stores its gradients, and later ones add theirs, so the result is not cleared
// before. The gradients of all other terms are added to results that have been cleared. TiledGradient, TiledBlocks and
// ScoreGradients use this class.
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

  /// For the gradient of a term of pairs, i1: whether result number `result` must be cleared, because it also has
  /// elements of no pair, or there is no batch. Null for any other result, which is always cleared.
  Value needsClearing(unsigned result) const;
  /// Computes which terms the open batch stores. Called for each batch, before the functions below.
  void openBatch();
  /// Whether the score has terms of pairs, so that every pair of a batch has to be stored. Valid after openBatch().
  bool areStored() const {
    return llvm::any_of(isFirst, [](Value first) { return bool(first); });
  }
  /// For a block whose pairs are all dropped: emits stores of zeros to its elements in the terms of pairs that the open
  /// batch stores.
  void clear(const PairBlock &block) const;
  /// Emits the addition (or the stores) of the gradients of all terms for a vector of pairs. `gradientOf` receives
  /// GradientTerm::partial and returns the gradients: a vector, its product with the cotangents of the pairs' scores.
  void add(RegionVectoriser &pair, llvm::function_ref<Value(Value partial)> gradientOf) const;

private:
  const ElementGradients &elements;
  LoopBuilder::Values isFirst; ///< for each term of pairs, i1: the open batch stores it; null for other terms
};

/// The formulas of `row` (GradientPhase::bindRow), bound to keys of `block` in the lanes: key number `lane` (counted
/// from the block's first key) and those that follow. Lanes past the block's last key are inactive.
RegionVectoriser bindPairs(GradientPhase &phase, const RegionVectoriser &row, const PairBlock &block, mlir::Value lane);

} // namespace attnc
