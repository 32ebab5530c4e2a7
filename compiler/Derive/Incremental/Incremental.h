//===- Incremental.h - incremental computation by position, with key-value caches ---------------------------------===//
//
// A position is an index along one dynamic dimension of a function, such as the `seq` tokens of a text. Let f be a
// function whose results at position i depend on positions 0 .. i only (PositionAnalysis.h). For f, named `next` in the
// model, deriveIncremental() generates entry points that compute the positions after those of earlier calls:
//
//   next(x: [batch, 1], length: i32[batch], state...)             one position
//   next_prefill(x: [batch, seq], length: i32[batch], state...)   any number of positions
//   next_begin(other arguments) -> given...                       computes what no position changes; optional
//
// The states are caches of values at the positions of earlier calls. Row b of a cache contains length[b] positions, so
// position i of a call is position length[b] + i of f. The results are those of f at the positions of the call. Where f
// reads its last position, the entry points read the last position of the call. Rows may have different lengths; if f
// has no rows (PositionDims.h), `length` and `count` have rank 0. The argument `length` alone says which positions are
// valid: with length 0 a row starts anew, and with a lower length it is truncated. A program that moves rows of the
// caches reorders the texts.
//
//   in f                                             in next
//   a value with the dimension `seq`                 its positions of the call
//   the index i of a position, as a number           i + length[b]; a value without rows gains a dimension of rows
//   a value read at earlier positions (the keys      a state: [.., capacity, ..], appended to where it is computed, and
//   and values of an attend)                         read there; in a loop over layers, a per-iteration list
//   an attend over all keys of `seq`                 over `capacity` keys, under its mask
//   a value read at most `w` positions back (the     a ring cache of w + n positions, where the last n positions can be
//   keys of a sliding window)                        truncated (model.take_back, by default 1): position p is at index
//                                                    p mod (w + n)
//   an attend over them                              next: over the ring. next_prefill: over the w positions before the
//                                                    call, copied from the ring, and those of the call
//   a carried value of a `scan` along `seq`          a ring cache of 1 + n values: the value after position p is at
//                                                    index p mod (1 + n). The scan starts from the value before the
//                                                    call, or in a row of length 0 from its initial value
//   a table's first `seq` entries                    the entries of the positions
//   a value of arguments without `seq`               an argument, computed by next_begin; in a loop, a list
//
// With model.paged the caches are paged (PagedCaches.h).
//
// `capacity` is a dimension of these entry points with the bound of `seq`: the caller chooses the size of the caches.
// It does not exist if all caches are ring caches. A call with length[b] + seq > capacity sets a status before anything
// is written. A ring cache is never full. But if the rows of a call of next_prefill have different numbers of
// positions, positions after the end of a row would overwrite positions of the ring that the row still needs. With ring
// caches next_prefill therefore has the argument `count` (i32[batch]): row b of the call has count[b] positions. A
// window has no ring cache, but one of `capacity` positions, if `seq` has a bound that is not larger than w + n, or if
// the attention weights depend on the order of keys (hard and stick-breaking attention). The caches that one attend
// reads have the same w, the largest of theirs, or none is a ring cache.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/PositionAnalysis.h"

namespace attnc {

/// A value of f that is cached between calls, or that next_begin computes for next. If the value is in loops of f, the
/// argument of the entry points is a per-iteration list.
struct RetainedValue {
  mlir::Value value;                         ///< in f
  std::string name;                          ///< of the argument of the entry points
  llvm::SmallVector<mlir::scf::ForOp> loops; ///< the loops around the value, outermost first
  int64_t count = 1;                         ///< elements of the list: the product of the loops' numbers of iterations
  int64_t window = -1;                       ///< of a ring cache: positions read before the current one; else -1
  int64_t ringSize = 0;                      ///< of a ring cache: its number of positions; else 0

  bool isRing() const { return window >= 0; }
  /// True for a carried value of a scan along the positions. It is always in a ring cache, with a dimension of
  /// positions that the value itself does not have.
  bool isCarried = false;
};

/// The plan by which the writers of the entry points of f work.
struct IncrementalPlan {
  PositionAnalysis analysis;                          ///< of f
  std::vector<RetainedValue> caches = {}, given = {}; ///< the states; the values that next_begin computes
  /// The arguments of f that have no positions and whose elements or extents next reads.
  llvm::SetVector<mlir::BlockArgument> plainArguments = {};
  std::string name; ///< of next
  /// Names of the further arguments and of the dimension. If f has an argument or a dimension of such a name, a number
  /// is appended.
  std::string lengthName = "length", capacityName = "capacity", countName = "count";
  /// Positions of a block of the paged caches; 0 if the caches are not paged. In paged caches there is the argument
  /// `table`, and `capacity` is no dimension, but `blocks` and `rowBlocks` are.
  int64_t blockSize = 0;
  std::string tableName = "table", blocksName = "blocks", rowBlocksName = "row_blocks";
  /// With ring caches: how many of the last positions of a row can be truncated. Null without ring caches, where any
  /// number of positions can be truncated.
  std::optional<int64_t> maxTruncation = {};

  /// The element of `caches` for a value of f; null if the value is not cached.
  const RetainedValue *cache(mlir::Value value) const;
  /// The bound of the dimension of positions; -1: none.
  int64_t maxPositions() const;
  bool hasRings() const { return maxTruncation.has_value(); }
  bool isPaged() const { return blockSize > 0; }
};

/// Names in the entry points of a function: the dimensions of positions, rows and capacity, and the arguments for
/// lengths and counts. `row` is empty if f has no rows; `count` and `capacity` are set even if nothing has these names.
struct IncrementalNames {
  std::string along, row, length, count, capacity;
};

/// Replaces `function`, which has model.incremental, by these entry points, and returns the names that they use. Fails
/// with an error if PositionAnalysis or planPaged() fails, if no position depends on another one, if a cached value has
/// its dimension of rows after that of the positions, if a retained value is in a loop whose number of iterations is
/// not constant, or if an entry point of a generated name exists.
mlir::FailureOr<IncrementalNames> deriveIncremental(mlir::func::FuncOp function);

} // namespace attnc
