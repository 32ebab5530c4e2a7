//===- WarpNormaliser.h - online softmax of the rows of a warp ----------------------------------------------------===//
//
//   m'[r]    = max(m[r], s[r] of all threads)                   by warp shuffles
//   a        = exp2(m - m'),  p[r] = exp2(s[r] - m'[r])         l[r] = a * l[r] + p[r], a partial sum for each thread
//
// for each row r of the warp, with m the row maximum and l the row sum. Other normalisers replace exp2 (Normaliser.h).
// If an attention weight depends on the keys before it, one thread for each row computes the weights of a block in
// order.
//
// Scores and attention weights are [row], of the thread's key, as vectors of one lane.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/General/WarpContext.h"

namespace attnc {

class WarpNormaliser : public WarpContext {
public:
  /// The states before the first key, without `values`. Only thread r starts row r with the sink, so that it is added
  /// once.
  RowStates start(bool withSink = true) const;
  /// Updates m with the scores of a block, and multiplies l and o by the correction a. Only for normalisers that use
  /// the maximum.
  void raiseMaxima(const Values &scores, RowStates &states) const;
  /// Attention weights of the thread's pairs, before the weight region. Adds them to l, except in a pass Apply by final
  /// weights, where they are multiplied by the factors of `totals` if the plan requires it.
  Values computeWeights(KeyPass pass, const Values &scores, RowStates &states, const RowTotals &totals) const;
  /// Applies the weight region, if there is one; zero for dropped pairs.
  Values pairWeights(const KeyBlock &block, const Values &normalised) const;
  RowTotals rowTotals(const RowStates &states) const;
  /// Stores the weights as a result, if the kernel has it.
  void storeWeights(const KeyBlock &block, const Values &weights) const;
  /// Sets all attention weights of the rows to zero in the result, if the kernel has it, as fully masked blocks are
  /// skipped.
  void clearWeights() const;
  /// Stores lse and entropy, if the kernel has these results.
  void storeStatistics(const RowStates &states, const RowTotals &totals) const;

private:
  Values weighInOrder(const Values &scores, RowStates &states) const;
  Value sinkScore(int64_t row) const;
  Value isOneThread(int64_t rank) const;
  Value chooseByRank(const Values &rowValues) const;
};

} // namespace attnc
