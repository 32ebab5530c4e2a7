//===- WarpContext.h - the rows of a warp, and the loop-carried values of its threads -----------------------------===//
//
// AttendGeneral computes a few rows (queries) of attention by one warp. Its parts, WarpScores, WarpNormaliser,
// WarpValues and WarpTopKeys, derive from WarpContext and add functions that emit code. A WarpContext has the objects
// that these functions share: the problem, the objects of the kernel phase, and the rows of the executing warp. The
// loop over the keys carries RowStates. "Row" as an array dimension, [row], means the shape.rows rows of the warp.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendRows.h"
#include "compiler/Codegen/GPU/Nest/SharedArray.h"

namespace attnc {

/// The largest number of top keys of a row that AttendGeneral supports.
inline constexpr int64_t maxTopEntries = 32;
/// The score of a pair that the mask drops, and of an absent top key.
inline constexpr double negativeInfinity = -std::numeric_limits<double>::infinity();

/// Distribution of rows and values over warps and threads. The values of a row (the features of its output) are cut
/// into slices, so that a thread's share of a slice fits its registers. In a slice, thread t has values width * t ..
/// width * t + width - 1 in its first access, and further ones at a stride of 32 * width.
struct AttendGeneralShape {
  AttendGeneralShape(const AttendProblem &problem, const RowNumbers &numbers);

  int64_t rows;         ///< rows of a warp: 1, 2 or 4
  int64_t width;        ///< values in one access of a thread: 1, 2 or 4
  int64_t accesses;     ///< accesses of a thread in one slice
  SizeExpr warps;       ///< warps that compute all rows: batches * rowBlocks
  SizeExpr rowBlocks;   ///< blocks of `rows` rows in a batch; a warp computes one
  SizeExpr valueSlices; ///< slices of a row, at least 1; one pass over the keys for each
  int64_t sliceValues() const { return warpThreads * width * accesses; } ///< values of a row in a slice
};

/// The rows of the executing warp. Rows past the end of the batch repeat the last one.
struct WarpRows {
  mlir::Value first;                                 ///< index: the number of row 0 in the batch
  LoopBuilder::Values exist;                         ///< [row]: i1, whether the batch has the row
  llvm::SmallVector<LoopBuilder::Values> subscripts; ///< [row]: AttendRows::subscriptsOf the row
  std::vector<RegionVectoriser> points;              ///< [row]: the formulas for one lane, with the row bound
  mlir::Value tileStart; ///< index: the number of this warp's first key in weightTile and maskTile, 32 * warp
};

/// All members refer to objects of the caller, AttendGeneral. Functions emit code for the executing thread, at the
/// insertion point of `loops`. Whole warps must execute the code that exchanges data; any threads may execute that of
/// forEachRow() and storeResult().
struct WarpContext {
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;

  /// Loop-carried values of a thread, [row] unless stated otherwise. Floats are vectors of one f32; in `values`, of
  /// `shape.width` f32.
  struct RowStates {
    Values largest; ///< row maximum m: the same in all threads of the warp
    Values sums;    ///< this thread's part of the row sum l
    Values logs;    ///< this thread's part of the sum of w log2 w over attention weights w; empty without entropy
    Values top;     ///< [row][rank][2]: the largest scores of this thread's keys, sorted, and these keys (i32; -1, with
                    ///< score -inf, for none); empty without top keys
    Values values;  ///< [row][access]: output o, not normalised; empty in a pass that sums no values

    Values packed() const;                   ///< all values, as one list for a loop
    RowStates with(ValueRange packed) const; ///< states of the same shape with the values of such a list
  };
  /// [row], vectors of one f32: row sums l over all threads, and the factors that normalise o
  /// (Normaliser::factor). Empty before the pass that computes them.
  struct RowTotals {
    Values sums, factors;
  };
  /// A block of up to 32 keys, one for each thread. Numbers are index.
  struct KeyBlock {
    Value firstKey, end; ///< first key of the block; end of the key range of the rows, which may be past the block
    Value key;           ///< this thread's key, firstKey + rank; past the end, the last key, which may be read
    Values unmasked;     ///< [row], i1: whether row and key firstKey + rank are an unmasked pair before the end
  };

  const AttendProblem &problem;
  const Target &target;
  const AttendGeneralShape &shape;
  DeviceFrame &frame;
  LoopBuilder &loops; ///< of one lane
  ThreadGroup &group; ///< the warp
  AttendRows &rows;   ///< with batch and rows open
  /// Exchange between the threads of a warp, in shared memory, for a block of 32 keys. weightTile is [warp][key][row]
  /// of f32; maskTile is [warp][key] of i32, with bit r set if the pair of row r is unmasked.
  SharedArray &weightTile, &maskTile;
  WarpRows &warp;

  mlir::attn::AttendOp op() const { return problem.op; }
  NormaliserCode code() const { return {loops, target}; }
  LoopBuilder wideLoops() const { return {loops.builder, loops.location, shape.width}; } ///< for accesses of values
  Value scalarOf(Value value) const; ///< element 0 of a vector; a scalar unchanged
  /// The sum of `share`, an f32 or a vector of one f32, over the threads of the warp, as a vector of one f32.
  Value threadSum(Value share) const;
  /// The formulas for `lanes` points with row number `row` of the warp bound; and those of each row, [row], with key
  /// number `key` (index) bound too.
  RegionVectoriser bindRow(int64_t lanes, int64_t row) const;
  std::vector<RegionVectoriser> bindPairs(int64_t lanes, Value key) const;
  /// Calls `body` for each row, to emit code that is executed if the row exists.
  void forEachRow(llvm::function_ref<void(int64_t row)> body) const;
  /// Each thread that executes the code stores element 0 of `value` to the kernel's result `statistic`, at the row's
  /// subscripts followed by `last` (index). The caller selects the threads, and tests that the row exists. Emits
  /// nothing if the kernel does not have this result.
  void storeResult(int64_t row, Value value, mlir::attn::Statistic statistic, ValueRange last = {}) const;
};

} // namespace attnc
