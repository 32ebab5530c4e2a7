//===- WarpTopKeys.h - the keys with the largest scores of each row, and their weights ----------------------------===//
//
// WarpTopKeys is the part of AttendGeneral for the results `top` and `top_weights` of attention. Each thread keeps a
// sorted list of the largest scores of its own keys, in RowStates::top. At the end, the warp merges the lists of its
// threads: for each rank it selects and removes the largest first entry of all lists. Among equal scores, the lower key
// comes first.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/General/WarpContext.h"

namespace attnc {

/// Emits the code; nothing if the kernel has neither result.
class WarpTopKeys : public WarpContext {
public:
  /// Inserts the scores of a block, [row], into `states.top`; dropped pairs (`block.unmasked`) and NaN scores are not
  /// inserted.
  void update(const KeyBlock &block, const Values &scores, RowStates &states) const;
  /// Merges the lists, and stores, for each rank, the key (i32) and its final attention weight, each if it is a result,
  /// for the rows that exist. A rank without a key stores -1 and 0. `states` and `totals` are those after the last pass
  /// over the keys.
  void store(const RowStates &states, const RowTotals &totals) const;

private:
  Values insert(ValueRange ranks, Value score, Value key) const;
  Values merge(ValueRange threadRanks) const;
  Value weight(int64_t row, Value score, Value key, const Normaliser::Carriers &carriers, Value factor,
               Value &sum) const;
};

} // namespace attnc
