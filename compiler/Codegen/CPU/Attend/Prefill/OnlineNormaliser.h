//===- OnlineNormaliser.h - online softmax and other online normalisers of prefill attention ----------------------===//
//
// Turns scores into weights, and carries the maximum and the sum of each row over the blocks of keys. Rows are in the
// lanes. For softmax (Milakov and Gimelshein: Online normalizer calculation for softmax, 2018):
//
//   m' = max(m, St),  a = exp2(m - m'),  Pt = exp2(St - m'),  l = a * l + sum_k Pt          (softmax)
//
// St are the scores of the block and Pt the weights before the row's factor, both [key][query]. m is the row maximum, l
// the row sum, and a the correction of earlier sums. Normaliser/Normaliser.h has the carriers of other normalisers.
// Without a sink, m starts at the lowest finite float, so a row without selected pairs ends with l = 0 and yields
// zeros. For the entropy, t' = a (t + l log2 a) + sum w log2 w is carried too, where w are the weights Pt of the block.
// PrefillTile.cpp calls the members in the order of PassPlan.h.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/Prefill/PairOperands.h"
#include "compiler/Codegen/CPU/Attend/Prefill/PrefillTiles.h"
#include "compiler/Codegen/CPU/Attend/Prefill/SelectedPairs.h"

namespace attnc {

class OnlineNormaliser : PrefillContext {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;

  OnlineNormaliser(const PrefillContext &context, QueryTile &queries, PairOperands &pairs,
                   const SelectedPairs &selected, const PrefillTiles &tiles);

  // The carriers are in PrefillTiles::Rows. `newMaxima` is the result of PairScores::compute() for the block. All
  // functions emit code.

  /// Initialises the carriers of all rows, with the sink if the problem has one. Called once, first.
  void start();
  /// Initialises the sums again. Called before the last pass if PassPlan::restartsSums: each weight then depends on the
  /// sum over the keys before it.
  void restartSums();
  /// Called before the products of a block. If they update the block's maxima (PrefillTraits::keepsMaxima), copies the
  /// maxima before the block to PrefillTiles::Rows::blockMaxima; otherwise emits nothing.
  void startBlock();
  /// Turns the scores of a block, PrefillTiles::scores[0], into weights in the same tile, and updates the rows' maxima
  /// and sums, and in the pass PassPlan::entropyPass the sums for the entropy. The stored weights are those of the
  /// weight region, if there is one. In the pass Statistics, no weights are stored. In the pass Apply, weights are
  /// final, and maxima and sums are only read, except that sums are updated if the normaliser followsKeys(). If scores
  /// are materialised, the pass Apply reads the materialised weights instead. Returns a vector of corrections of
  /// earlier sums for each vector of queries; an empty list if earlier sums need no correction. Requires
  /// block.allSelected.
  Values weigh(KeyPass pass, const KeyBlock &block, ValueRange newMaxima);
  /// Computes the rows' factors (for softmax 1 / l) from the final sums, into PrefillTiles::Rows::factors.
  void computeFactors();

  /// Stores the scores of a block in PrefillTiles::materialised, from row block.firstMaterialised on, and the maxima.
  void materialise(const KeyBlock &block, ValueRange newMaxima);
  /// Turns the first `count` (index) keys of the materialised scores into weights before the row's factor, and stores
  /// the factors.
  void weighMaterialised(Value count);

  /// The log-sum-exp, and the entropy, of the rows of vector number `vector`. Called after the last pass. Requires that
  /// the statistic is a result.
  Value lse(int64_t vector);
  Value entropy(int64_t vector);

private:
  /// The rows' carriers at the start of a block, corrected, [vector]; fields that the pass does not use are empty.
  struct Carried {
    Values largest, sums, logs, corrections;
    Values scales; ///< the rows' factors, if the pass multiplies weights with them
  };
  Carried correctSums(KeyPass pass, ValueRange newMaxima);
  Normaliser::Weighed weightOf(int64_t vector, const KeyBlock &block, Value key, const Normaliser::Carriers &carriers);
  Value applyWeight(int64_t vector, const KeyBlock &block, Value key, Value normalised);
  Value logTerm(KeyPass pass, int64_t vector, Value key, Value weight, Value largest);
  Value sinkOf(int64_t vector);
  NormaliserCode code() const { return {loops, target}; }

  const Normaliser &normaliser;
  TileAccess access;
  QueryTile &queries;
  PairOperands &pairs;
  const SelectedPairs &selected;
  const PrefillTiles::Rows &rows;
  const Value scores, materialised; ///< tiles; the scores become weights
};

} // namespace attnc
