//===- WarpValues.h - sums of values: a thread has some values of all rows of its warp ----------------------------===//
//
//   o[r][v]  = o[r][v] + sum_k p_k[r] * V[k][v]                 weights through shared memory
//
// for each row r of the warp, each value v of a slice and the keys k of a block. `firstValue` (index) is the first
// value of the slice, which has AttendGeneralShape::sliceValues of them.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendSplitKv.h"
#include "compiler/Codegen/GPU/Attend/General/WarpContext.h"

namespace attnc {

class WarpValues : public WarpContext {
public:
  /// The states with the values set to zero.
  RowStates clear(RowStates states) const;
  /// Adds the values of a block with the thread's attention weights, [row].
  void accumulate(const KeyBlock &block, const Values &weights, RowStates &states, Value firstValue) const;
  /// Stores the values as a result, multiplied by the rows' factors, [row], if there are any.
  void store(const RowStates &states, const Values &factors, Value firstValue) const;
  /// Stores the partial results of a split: O, not normalised, and m and l.
  void storePartials(const RowStates &states, PartialResults &memory, Value split, Value firstValue) const;

private:
  void shareWeights(const KeyBlock &block, const Values &weights) const;
  Values addKey(const KeyBlock &block, Value key, ValueRange before, Value firstValue, bool unmaskedOnly) const;
  Value valueNumber(Value firstValue, int64_t access) const;
  void bindValue(RegionVectoriser &to, Value number) const;
};

} // namespace attnc
