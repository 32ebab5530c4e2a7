//===- AttendInterval.h - interval analysis of index expressions over a block's rows or keys ----------------------===//
//
// A block of attention has consecutive rows (or keys) of a batch, from a first to a last one. Rows have the row
// dimensions as indices, in row-major order, and keys have the key dimensions. The first of these indices lies between
// its values at the first and at the last row. Another index lies between its values at these two rows if all indices
// before it are equal there; otherwise it may have any value of its dimension. Intervals of expressions follow by
// interval arithmetic: sums, products with invariants, quotients and remainders by positive constants, minimum and
// maximum. An interval may be too wide, but contains every value. AttendMask.h decides masks of blocks by them.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernels/Attend/AttendBinding.h"

namespace attnc {

/// The numbers from `least` to `greatest`, both included.
struct Interval {
  mlir::Value least, greatest; ///< index
};

/// Emits the intervals of values of the formulas of `problem`, at the insertion point of `loops`.
class AttendIntervals {
public:
  /// Intervals over a block of rows, or over a block of keys if `ofKeys`. `first` and `last` are vectorisers with the
  /// indices of the batch and of the first or the last row (or key) bound; all these indices are uniform. `loops`,
  /// `problem` and `uses` must outlive the object.
  AttendIntervals(LoopBuilder &loops, const AttendProblem &problem, IndexUses &uses, bool ofKeys,
                  const RegionVectoriser &first, const RegionVectoriser &last)
      : loops(loops), problem(problem), uses(uses), ofKeys(ofKeys), first(first), last(last) {}

  /// The interval of `value`, an index or an integer, over all rows (or keys) of the block. A value that they do not
  /// change has equal bounds. Null if they change the value in another way than by the arithmetic above, e.g. through a
  /// loaded element, or by a sum, difference or product of i32, which may wrap around. The block must not be empty.
  std::optional<Interval> of(mlir::Value value);
  /// Evaluates a uniform value (index, integer or i1) in `point` and converts it to an index; an i1 becomes 0 or 1.
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
