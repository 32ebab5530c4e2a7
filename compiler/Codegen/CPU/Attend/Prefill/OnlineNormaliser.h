//===- OnlineNormaliser.h - online normalisers, such as online softmax: row maxima, sums and weights ----------===//
//
// For each row, lane-wise, over the blocks of keys (Milakov and Gimelshein: Online normalizer calculation for softmax,
// 2018):
//
//   m' = max(m, St),  a = exp2(m - m'),  Pt = exp2(St - m'),  l = a * l + sum_k Pt          (softmax)
//
// Normaliser/Normaliser.h has the carriers of other normalisers. m starts at the lowest finite float: a row without
// selected pairs ends with l = 0 and yields zeros. For the entropy, t' = a (t + l log2 a) + sum w log2 w is carried,
// where w are the weights before the row's factor: two operations a pair.
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

  /// Initialises the rows' carriers.
  void start();
  /// Initialises the sums again: in each pass, where weights depend on them.
  void restartSums();
  /// Initialises the block's maxima, where its products update them.
  void startBlock();
  /// Turns a block's scores into weights and updates the rows' sums. Returns the factors of earlier sums, [vector].
  Values weigh(KeyPass pass, const KeyBlock &block, ValueRange newMaxima);
  /// The rows' factors, from the final sums.
  void computeFactors();

  /// Appends the scores of a block to the materialised ones.
  void materialise(const KeyBlock &block, ValueRange newMaxima);
  /// Turns the materialised scores of `count` keys into weights.
  void weighMaterialised(Value count);

  Value lse(int64_t vector);
  Value entropy(int64_t vector);

private:
  /// The rows' carriers at the start of a block, [vector].
  struct Carried {
    Values largest, sums, logs, corrections;
    Values scales; ///< of final weights; empty where they have none
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
