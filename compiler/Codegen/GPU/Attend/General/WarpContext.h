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

/// Entries of top keys in the registers of a thread.
inline constexpr int64_t maxTopEntries = 32;

/// Distribution of rows and values over warps and threads.
struct AttendGeneralShape {
  AttendGeneralShape(const AttendProblem &problem, const RowNumbers &numbers);

  int64_t rows;         ///< rows of a warp
  int64_t width;        ///< values in one access of a thread
  int64_t accesses;     ///< accesses of a thread in one slice of the values
  SizeExpr warps;       ///< warps of the launch
  SizeExpr rowBlocks;   ///< row blocks of a batch; a warp computes one
  SizeExpr valueSlices; ///< slices of the values; one pass over the keys for each
  int64_t sliceValues() const { return warpThreads * width * accesses; }
};

/// The rows of a warp. Rows past the end repeat the last one.
struct WarpRows {
  mlir::Value first;         ///< index: of the batch
  LoopBuilder::Values exist; ///< [row]: i1
  llvm::SmallVector<LoopBuilder::Values> subscripts;
  std::vector<RegionVectoriser> points; ///< of one lane
  mlir::Value tileStart;                ///< index: of this warp's keys in the mask tile
};

struct WarpContext {
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;

  /// Loop-carried values of a thread, by row; floats are vectors of one lane.
  struct RowStates {
    Values largest; ///< m: the same in all threads of the warp
    Values sums;    ///< partial l of this thread
    Values logs;    ///< partial sum of w log2 w of this thread; empty without entropy
    Values top;     ///< [row][rank]: largest scores of this thread and their keys (i32); empty without top keys
    Values values;  ///< [row][access], vectors of `width`; not normalised

    Values packed() const;
    RowStates with(ValueRange packed) const;
  };
  /// Row sums over all threads, and the normalising factors of rows.
  struct RowTotals {
    Values sums, factors;
  };
  /// Up to 32 keys.
  struct KeyBlock {
    Value firstKey, end; ///< of the range of keys
    Value key;           ///< this thread's key; the last key, if it is past the end
    Values unmasked;     ///< [row]: whether this thread's pair takes part (i1)
  };

  const AttendProblem &problem;
  const Target &target;
  const AttendGeneralShape &shape;
  DeviceFrame &frame;
  LoopBuilder &loops; ///< of one lane
  ThreadGroup &group;
  AttendRows &rows;
  SharedArray &weightTile, &maskTile; ///< [warp][key][row], [warp][key]: a bit a row
  WarpRows &warp;

  mlir::attn::AttendOp op() const { return problem.op; }
  NormaliserCode code() const { return {loops, target}; }
  LoopBuilder wideLoops() const { return {loops.builder, loops.location, shape.width}; }
  Value scalarOf(Value value) const;
  /// The sum of the threads' shares, in a vector of one lane.
  Value threadSum(Value share) const;
  /// The formulas of a row, and of each row bound to one key.
  RegionVectoriser bindRow(int64_t lanes, int64_t row) const;
  std::vector<RegionVectoriser> bindPairs(int64_t lanes, Value key) const;
  void forEachRow(llvm::function_ref<void(int64_t row)> body) const;
  /// Stores one element of a row's result, at the row's subscripts followed by `last`.
  void storeResult(int64_t row, Value value, mlir::attn::Statistic statistic, ValueRange last = {}) const;
};

} // namespace attnc
