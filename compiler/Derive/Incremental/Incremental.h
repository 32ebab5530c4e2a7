//===- Incremental.h - incremental computation by position, with key-value caches ---------------------------------===//
//
// For a function f whose results at position i depend on positions 0 .. i only (PositionAnalysis.h), generates entry
// points that compute the positions after those of earlier calls:
//
//   next(x: [batch, 1], length: i32[batch], state...)             one position
//   next_prefill(x: [batch, seq], length: i32[batch], state...)   any number of positions
//   next_begin(other arguments) -> given...                       computes what no position changes; optional
//
// The caches of row b contain length[b] positions; position i of the call is position length[b] + i of f. Results are
// those of f at these positions; where f reads its last position, they read the last one of the call. Rows may have
// different lengths. The lengths alone define the contents of the caches: length 0 starts, a lower length truncates,
// and moving rows of the caches reorders them.
//
//   in f                                             in next
//   a value with the dimension `seq`                 its positions of the call
//   the index i of a position, as a number           i + length[b]; a value without rows gains a dimension of rows
//   a value read at earlier positions (the keys      a state: [.., capacity, ..], appended to where it is computed, and
//   and values of an attend)                         read there; in a loop over layers, a per-iteration list
//   an attend over all keys of `seq`                 over `capacity` keys, under its mask
//   a value read at most `w` positions back (the     a ring cache of w + 1 positions, or w + n if n can be truncated:
//   keys of a sliding window)                        position p is at index p mod the ring's size
//   an attend over them                              next: over the ring. next_prefill: over the w positions before the
//                                                    call, copied from the ring, and those of the call
//   a carried value of a `scan` along `seq`          a ring cache of 1 + n values: the value after position p is at
//                                                    index p mod (1 + n). The scan starts from the value before the
//                                                    call, or in a row of length 0 from its initial value
//   a table's first `seq` entries                    the entries of the positions
//   a value of arguments without `seq`               an argument, computed by next_begin; in a loop, a list
//
// `capacity` is a dimension of these entry points with the bound of `seq`: the caller chooses the size of the caches.
// length[b] + seq > capacity sets a status before anything is written. A ring cache is never full, but positions after
// the end of a row would overwrite positions that it needs. With ring caches next_prefill therefore takes `count:
// i32[batch]`, the number of positions of row b in the call.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/PositionAnalysis.h"

namespace attnc {

/// A value of f that is cached between calls, or passed from next_begin to next; in a per-iteration list if it is in
/// loops.
struct RetainedValue {
  mlir::Value value;
  std::string name;
  llvm::SmallVector<mlir::scf::ForOp> loops; ///< enclosing loops, outermost first
  int64_t count = 1;                         ///< of iterations; the list's size if there are loops
  int64_t window = -1;                       ///< of a ring cache: positions read before the current one; else -1
  int64_t ringSize = 0;                      ///< positions in a ring cache

  bool isRing() const { return window >= 0; }
  /// Whether this is a result of a scan along the positions that is carried from time step to time step: in a ring
  /// cache, with a dimension of positions that the value itself does not have.
  bool isCarried = false;
};

/// State shared by the writers of the entry points.
struct IncrementalPlan {
  PositionAnalysis analysis;
  std::vector<RetainedValue> caches = {}, given = {};
  llvm::SetVector<mlir::BlockArgument> plainArguments = {}; ///< without positions, read by next
  std::string name;
  /// Unless f has arguments of these names.
  std::string lengthName = "length", capacityName = "capacity", countName = "count";
  std::optional<int64_t> maxTruncation = {}; ///< positions that can be truncated; null if any number can

  const RetainedValue *cache(mlir::Value value) const;
  bool hasRings() const { return maxTruncation.has_value(); }
};

/// Names of arguments and dimensions of the entry points of a function; `row` is empty without rows.
struct IncrementalNames {
  std::string along, row, length, count, capacity;
};

/// Replaces `function`, which has model.incremental, by these entry points. Returns the names that they use.
mlir::FailureOr<IncrementalNames> deriveIncremental(mlir::func::FuncOp function);

} // namespace attnc
