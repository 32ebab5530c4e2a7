//===- AttendRows.h - rows that threads of a device compute together, and the keys that they keep -----------------===//
//
// Threads that compute a block of rows of one batch bind the same indices in the same formulas, and ask the same mask
// which keys they have to look at:
//
//   AttendRows rows(problem, frame);
//   rows.openBatch(number);
//   rows.open(first, count);               the mask knows now what all of these rows keep
//   RegionVectoriser row = rows.bindRow(rows.formulas(lanes), rowNumber);
//   for (KeyTile tile = rows.search(rows.range.begin, 64); tile.first < rows.range.end; ...)
//
// Where heads of a group read the same keys, their rows may be those of one batch (RowNumbers): head by head.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Nest/ThreadGroup.h"
#include "compiler/Codegen/Kernels/Attend/AttendMask.h"

namespace attnc {

/// A tile of keys of which some pair may be kept; there is none where `first` is not below the range's end.
struct KeyTile {
  mlir::Value first, all; ///< index; i1: every pair is kept
};

/// Which rows are of one batch.
struct RowNumbers {
  bool areOfGroup = false; ///< of all heads of a group; else as the problem has them
  SizeExpr batches, rows;  ///< rows: of a batch; in the last group some may not exist

  static RowNumbers ofBatches(const AttendProblem &problem) { return {false, problem.batches, problem.rows}; }
  static RowNumbers ofGroups(const AttendProblem &problem);
};

class AttendRows {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;

  /// The mask's keys are scanned by the threads of a warp together.
  AttendRows(const AttendProblem &problem, DeviceFrame &frame, const RowNumbers &numbers);
  AttendRows(const AttendProblem &problem, DeviceFrame &frame)
      : AttendRows(problem, frame, RowNumbers::ofBatches(problem)) {}

  /// Once, before all that follows.
  void openBatch(Value number);
  /// The rows from `first` on, at most so many.
  void open(Value first, int64_t most);
  /// Both for this block of threads, where each has `most` rows; returns its first.
  Value openBlock(int64_t most);

  const RowNumbers numbers;
  /// Sizes, and the products of them (index).
  Values outerSizes, keySizes, valueSizes;
  Value rows, keys, values;
  Value batch;                ///< its number
  AttendMask::KeyRange range; ///< of keys outside of which these rows keep nothing

  /// Whether there is a row of that number in the batch.
  Value exists(Value row);
  /// The formulas of the batch, for `lanes` points at once; of heads of a group, those of the first one.
  RegionVectoriser formulas(int64_t lanes) const;
  /// A row by its number in the batch; past the end the last one stands for it.
  Values subscriptsOf(Value row);
  RegionVectoriser bindRow(RegionVectoriser to, ValueRange subscripts) const;
  RegionVectoriser bindRow(RegionVectoriser to, Value row) { return bindRow(std::move(to), subscriptsOf(row)); }
  RegionVectoriser bindKey(RegionVectoriser to, Value key);

  /// Of `count` keys from `first` on.
  AttendMask::Decision decide(Value first, Value count);
  /// The first tile of `tileKeys` from a key on of which a pair may be kept.
  KeyTile search(Value from, int64_t tileKeys);

private:
  /// Whether the dimension is that of heads, and these are rows.
  bool isOfGroups(unsigned dimension) const { return numbers.areOfGroup && dimension == problem.groupDim; }
  Values sizesOfRow();
  Interval scanInWarp(const AttendMask::KeyRange &keys, llvm::function_ref<Value(Value key)> valueAt);

  const AttendProblem &problem;
  DeviceFrame &frame;
  LoopBuilder loops; ///< of one lane
  ThreadGroup warp;
  AttendMask mask;
  Values batchIndices;
  Value firstHead; ///< of the group
};

} // namespace attnc
