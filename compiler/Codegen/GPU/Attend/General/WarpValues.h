//===- WarpValues.h - sums of values: a thread has some values of all rows of its warp ----------------------------===//
//
//   o[r][v]  = o[r][v] + sum_k p_k[r] * V[k][v]                 weights p through shared memory
//
// for each row r of the warp, each value v of a slice and the keys k of a block. WarpValues is the part of
// AttendGeneral for these sums. The attention weights p are distributed over the threads by keys, but the sums o by
// values, so a warp exchanges the weights through shared memory. `firstValue` (index) is the number of the first value
// of the slice, which has AttendGeneralShape::sliceValues() values.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendSplitKv.h"
#include "compiler/Codegen/GPU/Attend/General/WarpContext.h"

namespace attnc {

/// Emits the code.
class WarpValues : public WarpContext {
public:
  /// `states` with zeros as `values`; unchanged if the kernel has no result of values.
  RowStates clear(RowStates states) const;
  /// Adds the weighted values of a block to `states.values`. Requires a result of values. `weights` are those of this
  /// thread's pairs, [row]; those of dropped pairs (`block.unmasked`) are zero, and an infinite or NaN value of a
  /// dropped pair is ignored.
  void accumulate(const KeyBlock &block, const Values &weights, RowStates &states, Value firstValue) const;
  /// Stores `states.values` of the rows that exist to the result, multiplied by `factors`, [row], unless these are
  /// empty. Emits nothing if the kernel has no result of values.
  void store(const RowStates &states, const Values &factors, Value firstValue) const;
  /// Stores the partial results of split number `split` (index), for the rows that exist: o, not normalised, and the
  /// row's m and l. Requires a result of values.
  void storePartials(const RowStates &states, PartialResults &memory, Value split, Value firstValue) const;

private:
  void shareWeights(const KeyBlock &block, const Values &weights) const;
  Values addKey(const KeyBlock &block, Value key, ValueRange before, Value firstValue, bool unmaskedOnly) const;
  Value valueNumber(Value firstValue, int64_t access) const;
  void bindValue(RegionVectoriser &to, Value number) const;
};

} // namespace attnc
