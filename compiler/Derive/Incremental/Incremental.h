//===- Incremental.h - entry points that compute position by position ---------------------------------------------===//
//
// From a function f whose results at position i need positions 0 .. i alone (PositionAnalysis.h), makes entry points
// that compute the positions behind those that they were given before:
//
//   next(x: [batch, 1], length: i32[batch], state...)             one position
//   next_prefill(x: [batch, seq], length: i32[batch], state...)   any number
//   next_begin(other arguments) -> given...                       what no position changes, once; only where there is
//   any
//
// Row b has length[b] positions in its caches, and those of the call stand behind them: position i of the call is
// position length[b] + i of f. Results are f's at these positions; what f reads from its last position, it reads from
// the last of the call. Rows may have different lengths. Nothing but the lengths says what the caches hold: to begin is
// to set them to 0, to take back positions is to lower them, to reorder rows is to move them.
//
//   in f                                             in next
//   a value with the dimension `seq`                 its positions of the call
//   the index i of a position, as a number           i + length[b]; what had no dimension of rows gains one
//   a value read at earlier positions (the keys      a state: [.., capacity, ..], appended to where it is computed and
//   and values of an attend)                         read from there; in a loop over layers, a list of them
//   an attend over all keys of `seq`                 over `capacity` keys, under its mask
//   a value read `w` positions back at most (the     a ring of w + 1 positions, or w + n where n can be taken back:
//   keys of a window)                                position p lies at p mod the ring's size
//   an attend over them                              next: over the ring. next_prefill: over the w positions in front
//                                                    of the call, taken from the ring, and those of the call
//   a table's first `seq` entries                    the entries of the positions
//   what arguments without `seq` determine           an argument, computed by next_begin; in a loop, a list
//
// `capacity` is a dimension of these entry points, bounded as `seq` is: the caller makes the caches as long as is
// wanted. length[b] + seq > capacity is a status, before anything is written. A ring never is full, but what is behind
// the end of a row would overwrite what it needs; where there are rings, next_prefill takes `count: i32[batch]`, the
// positions of the call that row b has.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Derive/Incremental/PositionAnalysis.h"

namespace attnc {

/// What lies in memory from call to call, or is handed from next_begin to next: a value of f, in a list with an element
/// for each turn of the loops around it.
struct KeptValue {
  mlir::Value value;
  std::string name;
  llvm::SmallVector<mlir::scf::ForOp> loops; ///< around the value, outermost first
  int64_t count = 1;                         ///< of turns; the list's size where there are loops
  int64_t window = -1; ///< of a cache that is a ring: positions read in front of one's own; otherwise -1
  int64_t slots = 0;   ///< of a ring

  bool isRing() const { return window >= 0; }
};

/// What the entry points share.
struct IncrementalPlan {
  PositionAnalysis analysis;
  std::vector<KeptValue> caches = {}, given = {};
  llvm::SetVector<mlir::BlockArgument> plainArguments = {}; ///< without positions, that next reads
  std::string name;
  /// But where f has others of these names.
  std::string lengthName = "length", capacityName = "capacity", countName = "count";
  std::optional<int64_t> takeBack = {}; ///< positions that can be taken back; nothing where any can

  const KeptValue *cache(mlir::Value value) const;
  bool hasRings() const { return takeBack.has_value(); }
};

/// What the arguments and dimensions of the entry points made of one function are called; `row` is empty where there is
/// none.
struct IncrementalNames {
  std::string along, row, length, count, capacity;
};

/// Replaces `function`, which has model.incremental, by the entry points that it stands for.
mlir::FailureOr<IncrementalNames> deriveIncremental(mlir::func::FuncOp function);

} // namespace attnc
