//===- WarpNormaliser.h - online softmax of the rows of a warp ----------------------------------------------------===//
//
//   m'[r]    = max(m[r], s[r] of all threads)                   by warp shuffles
//   a        = exp2(m - m'),  p[r] = exp2(s[r] - m'[r])         l[r] = a * l[r] + p[r], a partial sum for each thread
//
// for each row r of the warp and a block of 32 keys, one for each thread; s are scores, m and m' the row maximum before
// and after the block, p attention weights and l the row sum. Other normalisers replace exp2 (Normaliser.h). If an
// attention weight depends on the keys before it (Normaliser::followsKeys), one thread for each row computes the
// weights of a block in order.
//
// WarpNormaliser is the part of AttendGeneral that computes weights, row sums and statistics. Scores and attention
// weights are [row], for the pair of the row and this thread's key, as vectors of one f32.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/General/WarpContext.h"

namespace attnc {

/// Emits the code. Passes over the keys (KeyPass) are those of PassPlan.h.
class WarpNormaliser : public WarpContext {
public:
  /// The states before the first key, without `values`. The row sum that the normaliser starts with, including the sink
  /// if `withSink`, is that of thread r alone for row r, so that it is added once.
  RowStates start(bool withSink = true) const;
  /// Updates m with the scores of a block, multiplies l and o by the correction a, and corrects the sums for the
  /// entropy (Normaliser::logCorrection). Only for normalisers that use the maximum.
  void raiseMaxima(const Values &scores, RowStates &states) const;
  /// Attention weights of the thread's pairs, before the weight region. Adds them to l, except in the pass Apply of a
  /// normaliser that does not follow keys. Multiplies them by the factors of `totals` if the plan does so in this pass
  /// (PassPlan::scalesWeights). In the plan's entropy pass, adds w log2 w to `states.logs`.
  Values computeWeights(KeyPass pass, const Values &scores, RowStates &states, const RowTotals &totals) const;
  /// The weights after the weight region, if there is one; zero for dropped pairs. `normalised` are the weights of
  /// computeWeights.
  Values pairWeights(const KeyBlock &block, const Values &normalised) const;
  /// The row sums of `states`, reduced over the threads, and their factors.
  RowTotals rowTotals(const RowStates &states) const;
  /// Stores the weights of pairWeights to the result of attention weights, if the kernel has it.
  void storeWeights(const KeyBlock &block, const Values &weights) const;
  /// Sets all weights of the rows to zero in the result of attention weights, if the kernel has it and a mask, because
  /// fully masked blocks are skipped. Emitted before the passes that store weights.
  void clearWeights() const;
  /// Stores lse and entropy, if the kernel has these results. `states` and `totals` are those after the last pass.
  void storeStatistics(const RowStates &states, const RowTotals &totals) const;

private:
  Values weighInOrder(const Values &scores, RowStates &states) const;
  Value sinkScore(int64_t row) const;
  Value isOneThread(int64_t rank) const;
  Value chooseByRank(const Values &rowValues) const;
};

} // namespace attnc
