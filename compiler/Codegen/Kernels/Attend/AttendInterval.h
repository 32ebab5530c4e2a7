//===- AttendInterval.h - interval analysis of index expressions over a block's rows or keys ------------------===//
//
// Rows, and keys, first .. last of a batch are consecutive elements of a row-major space: the leading index goes from
// the first one's to the last one's, and so does each other one as long as those in front of it do not change; else it
// may be anything. From there on, by arithmetic: sums, products with what is the same for all, quotients and remainders
// by positive constants, the greater and the lesser of two. Intervals may be too wide, never too narrow.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernels/Attend/AttendBinding.h"

namespace attnc {

struct Interval {
  mlir::Value least, greatest; ///< index
};

class AttendIntervals {
public:
  /// The rows or the keys of which `first` and `last` are bound.
  AttendIntervals(LoopBuilder &loops, const AttendProblem &problem, IndexUses &uses, bool ofKeys,
                  const RegionVectoriser &first, const RegionVectoriser &last)
      : loops(loops), problem(problem), uses(uses), ofKeys(ofKeys), first(first), last(last) {}

  /// Nothing where only the elements of a tensor tell.
  std::optional<Interval> of(mlir::Value value);
  /// Of a value that is the same in all lanes.
  static mlir::Value indexAt(LoopBuilder &loops, RegionVectoriser &point, mlir::Value value);

private:
  using Value = mlir::Value;
  Interval ofIndex(mlir::BlockArgument index);
  std::optional<Interval> ofProduct(Value varying, Value factor);
  std::optional<Interval> ofQuotient(Value dividend, Value divisor, bool isRemainder);
  std::optional<Interval> ofExtremum(mlir::Operation *op);
  bool varies(Value value) { return uses.of(value) & (ofKeys ? IndexUses::anyKey : problem.rowUses()); }

  LoopBuilder &loops;
  const AttendProblem &problem;
  IndexUses &uses;
  bool ofKeys;
  RegionVectoriser first, last;
};

} // namespace attnc
