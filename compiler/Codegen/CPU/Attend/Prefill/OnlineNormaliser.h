//===- OnlineNormaliser.h - online normalisers, such as online softmax: row maxima, sums and weights ----------===//
//
// For each row, lane-wise, over the blocks of keys (Milakov and Gimelshein: Online normalizer calculation for softmax,
// 2018):
//
//   m' = max(m, St),  a = exp2(m - m'),  Pt = exp2(St - m'),  l = a * l + sum_k Pt          (softmax)
//
// Normaliser/Normaliser.h has the carriers of other normalisers. Without a sink, m starts at the lowest finite float: a
// row without selected pairs ends with l = 0 and yields zeros. For the entropy, t' = a (t + l log2 a) + sum w log2 w is
// carried, where w are the weights before the row's factor: two operations a pair.
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

  // Carriers are PrefillTiles::Rows; `newMaxima` is the result of PairScores::compute for the block.

  /// Initialises the rows' carriers, with the sink if there is one.
  void start();
  /// Initialises the sums again, before a pass in which weights depend on the sums of earlier keys
  /// (PassPlan::restartsSums).
  void restartSums();
  /// Initialises the block's maxima with those before it, if its products update them (PrefillTraits::keepsMaxima).
  void startBlock();
  /// Turns a block's scores, PrefillTiles::scores[0], into weights in the same tile (not in the pass Statistics), and
  /// updates the rows' maxima and sums. In the pass Apply, weights are final, and the maxima and sums are only read
  /// (sums are updated if PassPlan::restartsSums). Returns the corrections of earlier sums, [vector] of vectors; empty
  /// if there are none.
  Values weigh(KeyPass pass, const KeyBlock &block, ValueRange newMaxima);
  /// Computes the rows' factors from the final sums.
  void computeFactors();

  /// Appends the scores of a block to the materialised ones, and stores the maxima.
  void materialise(const KeyBlock &block, ValueRange newMaxima);
  /// Turns the materialised scores of `count` keys into weights before the row's factor, and stores the factors.
  void weighMaterialised(Value count);

  /// The statistics of a vector of rows, after the last pass.
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
