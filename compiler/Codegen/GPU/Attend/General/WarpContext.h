//===- WarpContext.h - the rows of a warp, and the loop-carried values of its threads -----------------------------===//
//
// All parts of AttendGeneral derive from WarpContext, whose fields are its members: the constants of the kernel phase
// and the rows of the warp.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendRows.h"
#include "compiler/Codegen/GPU/Nest/SharedArray.h"

namespace attnc {

/// The largest number of top keys of a row that AttendGeneral supports.
inline constexpr int64_t maxTopEntries = 32;

/// Distribution of rows and values over warps and threads.
struct AttendGeneralShape {
  AttendGeneralShape(const AttendProblem &problem, const RowNumbers &numbers);

  int64_t rows;         ///< rows of a warp: 1, 2 or 4
  int64_t width;        ///< values in one access of a thread: 1, 2 or 4
  int64_t accesses;     ///< accesses of a thread in one slice of the values
  SizeExpr warps;       ///< warps of the launch
  SizeExpr rowBlocks;   ///< row blocks of a batch; a warp computes one
  SizeExpr valueSlices; ///< slices of the values of a row; one pass over the keys for each
  int64_t sliceValues() const { return warpThreads * width * accesses; } ///< values of a row in a slice
};

/// The rows of a warp. Rows past the end repeat the last one.
struct WarpRows {
  mlir::Value first;                                 ///< index: the number of row 0 in the batch
  LoopBuilder::Values exist;                         ///< [row]: i1
  llvm::SmallVector<LoopBuilder::Values> subscripts; ///< [row]: as of AttendRows::subscriptsOf
  std::vector<RegionVectoriser> points;              ///< [row]: the formulas, of one lane
  mlir::Value tileStart;                             ///< index: the first key of this warp in weightTile and maskTile
};

struct WarpContext {
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;

  /// Loop-carried values of a thread, [row] unless stated otherwise. Floats are vectors of one lane, of `width` in
  /// `values`.
  struct RowStates {
    Values largest; ///< m: the same in all threads of the warp
    Values sums;    ///< partial l of this thread
    Values logs;    ///< partial sum of w log2 w of this thread; empty without entropy
    Values top;     ///< [row][rank][2]: largest scores of this thread's keys, and these keys (i32, -1 for none); empty
                    ///< without top keys
    Values values;  ///< [row][access]: o, not normalised

    Values packed() const;
    RowStates with(ValueRange packed) const;
  };
  /// [row], vectors of one lane: row sums over all threads, and normalising factors. Empty while they are unknown.
  struct RowTotals {
    Values sums, factors;
  };
  /// Up to 32 keys, one for each thread. Numbers are index.
  struct KeyBlock {
    Value firstKey, end; ///< first key of the block; end of the range of keys, which may be past the block
    Value key;           ///< this thread's key; the last key of the range, if it is past the end
    Values unmasked;     ///< [row]: whether this thread's pair takes part (i1)
  };

  const AttendProblem &problem;
  const Target &target;
  const AttendGeneralShape &shape;
  DeviceFrame &frame;
  LoopBuilder &loops; ///< of one lane
  ThreadGroup &group;
  AttendRows &rows;
  SharedArray &weightTile, &maskTile; ///< [warp][key][row]: f32; [warp][key]: i32, bit r set if row r is unmasked
  WarpRows &warp;

  mlir::attn::AttendOp op() const { return problem.op; }
  NormaliserCode code() const { return {loops, target}; }
  LoopBuilder wideLoops() const { return {loops.builder, loops.location, shape.width}; } ///< for accesses of values
  Value scalarOf(Value value) const; ///< lane 0 of a vector; a scalar unchanged
  /// The sum of `share` over the threads of the warp, in a vector of one lane.
  Value threadSum(Value share) const;
  /// The formulas of row `row`, for `lanes` points; and those of each row, bound to key `key` (index) too.
  RegionVectoriser bindRow(int64_t lanes, int64_t row) const;
  std::vector<RegionVectoriser> bindPairs(int64_t lanes, Value key) const;
  /// Emits `body` of each row, executed if the row exists.
  void forEachRow(llvm::function_ref<void(int64_t row)> body) const;
  /// Stores one element of a row's result, at the row's subscripts followed by `last` (index). Does nothing if the
  /// kernel does not have the result.
  void storeResult(int64_t row, Value value, mlir::attn::Statistic statistic, ValueRange last = {}) const;
};

} // namespace attnc
