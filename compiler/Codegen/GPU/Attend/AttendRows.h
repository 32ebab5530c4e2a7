//===- AttendRows.h - a block of rows, and the key range and key tiles that its mask leaves -----------------------===//
//
// The threads that compute a block of rows of one batch bind the same indices in the same formulas, and derive the keys
// to visit from the same mask:
//
//   AttendRows rows(problem, frame);
//   rows.openBatch(number);
//   rows.open(first, count);               rows.range is now the key range that the mask leaves for these rows
//   RegionVectoriser row = rows.bindRow(rows.formulas(lanes), rowNumber);
//   for (KeyTile tile = rows.search(rows.range.begin, 64); tile.first < rows.range.end; ...)
//
// If the heads of a group read the same keys, the rows of a batch may be those of the whole group (RowNumbers), head by
// head.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Nest/ThreadGroup.h"
#include "compiler/Codegen/Kernels/Attend/AttendMask.h"

namespace attnc {

/// A tile of keys with possibly unmasked pairs; none is left if `first` is not below the range's end.
struct KeyTile {
  mlir::Value first, all; ///< index; i1: no pair is masked
};

/// Numbering of rows by batch.
struct RowNumbers {
  bool areGrouped = false; ///< a batch has the rows of a head group; else those of the problem
  SizeExpr batches, rows;  ///< rows of a batch; some of the last group may not exist

  static RowNumbers perBatch(const AttendProblem &problem) { return {false, problem.batches, problem.rows}; }
  static RowNumbers perGroup(const AttendProblem &problem);
};

class AttendRows {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;

  /// The threads of a warp evaluate mask bounds over keys together.
  AttendRows(const AttendProblem &problem, DeviceFrame &frame, const RowNumbers &numbers);
  AttendRows(const AttendProblem &problem, DeviceFrame &frame)
      : AttendRows(problem, frame, RowNumbers::perBatch(problem)) {}

  /// Called once, first.
  void openBatch(Value number);
  /// Opens the rows from `first` on, at most `maxCount`.
  void open(Value first, int64_t maxCount);
  /// Both for this thread block, which computes `count` rows; returns its first row.
  Value openBlock(int64_t count);

  const RowNumbers numbers;
  /// Extents, and their products (index).
  Values outerSizes, keySizes, valueSizes;
  Value rows, keys, values;
  Value batch;                ///< its number
  AttendMask::KeyRange range; ///< all pairs of these rows outside of the range are masked

  /// Whether the batch has a row of that number.
  Value exists(Value row);
  /// The formulas of the batch, for `lanes` points at once; of a head group, those of its first head.
  RegionVectoriser formulas(int64_t lanes) const;
  /// Subscripts of a row by its number in the batch; past the end, those of the last row.
  Values subscriptsOf(Value row);
  RegionVectoriser bindRow(RegionVectoriser to, ValueRange subscripts) const;
  RegionVectoriser bindRow(RegionVectoriser to, Value row) { return bindRow(std::move(to), subscriptsOf(row)); }
  RegionVectoriser bindKey(RegionVectoriser to, Value key);

  /// Decides the mask of `count` keys from `first` on, by interval analysis.
  AttendMask::Decision decide(Value first, Value count);
  /// The first tile of `tileKeys` keys, from a key on, with possibly unmasked pairs.
  KeyTile search(Value from, int64_t tileKeys);

private:
  /// Whether `dimension` is that of heads, and rows are those of head groups.
  bool isHeadGroup(unsigned dimension) const { return numbers.areGrouped && dimension == problem.groupDim; }
  Values rowSizes();
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
