//===- WarpTopKeys.h - the keys with the largest scores of each row, and their weights ----------------------------===//
//
// Each thread has the sorted top entries of its own keys. At the end, the warp merges these lists: for each rank it
// selects and removes the largest first entry of all threads.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/General/WarpContext.h"

namespace attnc {

class WarpTopKeys : public WarpContext {
public:
  /// Inserts the scores of a block, [row], into `states.top`. Does nothing if the kernel has no results of top keys.
  void update(const KeyBlock &block, const Values &scores, RowStates &states) const;
  /// Merges the entries, and stores the keys and the weights that are results; a rank without a key stores -1 and 0.
  void store(const RowStates &states, const RowTotals &totals) const;

private:
  Values insert(ValueRange ranks, Value score, Value key) const;
  Values merge(ValueRange threadRanks) const;
  Value weight(int64_t row, Value score, Value key, const Normaliser::Carriers &carriers, Value factor,
               Value &sum) const;
};

} // namespace attnc
