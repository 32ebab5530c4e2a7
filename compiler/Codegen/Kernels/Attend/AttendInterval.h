//===- AttendInterval.h - interval analysis of index expressions over a block's rows or keys ------------------===//
//
// Rows, and keys, first .. last of a batch are consecutive elements of a row-major space. The leading index is between
// those of the first and the last element, and so is every other index if the indices before it do not change;
// otherwise the interval is its whole extent. Intervals of expressions follow by arithmetic: sums, products with
// invariants, quotients and remainders by positive constants, minimum and maximum. Intervals may be too wide, never too
// narrow.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernels/Attend/AttendBinding.h"

namespace attnc {

/// The numbers least .. greatest, both included.
struct Interval {
  mlir::Value least, greatest; ///< index
};

/// Emits the intervals of values of formulas.
class AttendIntervals {
public:
  /// Intervals over rows, or over keys with `ofKeys`; `first` and `last` are bound to the first and the last one.
  AttendIntervals(LoopBuilder &loops, const AttendProblem &problem, IndexUses &uses, bool ofKeys,
                  const RegionVectoriser &first, const RegionVectoriser &last)
      : loops(loops), problem(problem), uses(uses), ofKeys(ofKeys), first(first), last(last) {}

  /// The interval of a value, an index or an integer; null if rows (or keys) change it other than by this arithmetic on
  /// indices, e.g. if it depends on elements of a tensor.
  std::optional<Interval> of(mlir::Value value);
  /// A value that is the same in all lanes, as an index; an i1 as 0 or 1.
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
