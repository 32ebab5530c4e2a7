//===- WarpNormaliser.h - online softmax of the rows of a warp ----------------------------------------------------===//
//
//   m'[r]    = max(m[r], s[r] of all threads)                   by warp shuffles
//   a        = exp2(m - m'),  p[r] = exp2(s[r] - m'[r])         l[r] = a * l[r] + p[r], a partial sum for each thread
//
// If an attention weight depends on the keys before it, one thread for each row computes the weights of a block in
// order.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/General/WarpContext.h"

namespace attnc {

class WarpNormaliser : public WarpContext {
public:
  /// The states before the first key. Only thread r starts row r with the sink, so that it is added once.
  RowStates start(bool withSink = true) const;
  /// Updates m with the scores of a block, and multiplies l and o by the correction.
  void raiseMaxima(const Values &scores, RowStates &states) const;
  /// Attention weights of the thread's pairs, before the weight region; adds them to l.
  Values computeWeights(KeyPass pass, const Values &scores, RowStates &states, const RowTotals &totals) const;
  /// p' of p; zero for dropped pairs.
  Values pairWeights(const KeyBlock &block, const Values &normalised) const;
  RowTotals rowTotals(const RowStates &states) const;
  void storeWeights(const KeyBlock &block, const Values &weights) const;
  /// Sets all attention weights of the rows to zero, as fully masked blocks are skipped.
  void clearWeights() const;
  /// Stores lse and entropy.
  void storeStatistics(const RowStates &states, const RowTotals &totals) const;

private:
  Values weighInOrder(const Values &scores, RowStates &states) const;
  Value sinkScore(int64_t row) const;
  Value isOneThread(int64_t rank) const;
  Value chooseByRank(const Values &rowValues) const;
};

} // namespace attnc
