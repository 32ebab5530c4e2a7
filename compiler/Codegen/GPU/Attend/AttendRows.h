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
// head. Whole warps execute the code of open() and search() together, because their threads evaluate bounds of the mask
// together.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Nest/ThreadGroup.h"
#include "compiler/Codegen/Kernels/Attend/AttendMask.h"

namespace attnc {

/// A tile of keys with possibly unmasked pairs: its first key, and whether certainly no pair is masked (keys past the
/// end of the key range aside). If `first` is not below that end, there is no tile.
struct KeyTile {
  mlir::Value first, all; ///< index; i1
};

/// Numbering of rows by batch (AttendProblem.h).
struct RowNumbers {
  bool areGrouped = false; ///< a batch has the rows of a head group; else those of the problem
  SizeExpr batches, rows;  ///< number of batches; rows of a batch, of which some of the last group may not exist

  static RowNumbers perBatch(const AttendProblem &problem) { return {false, problem.batches, problem.rows}; }
  /// A batch for each head group; as perBatch if the heads do not form groups.
  static RowNumbers perGroup(const AttendProblem &problem);
};

class AttendRows {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;

  /// `frame` is that of the kernel phase.
  AttendRows(const AttendProblem &problem, DeviceFrame &frame, const RowNumbers &numbers);
  AttendRows(const AttendProblem &problem, DeviceFrame &frame)
      : AttendRows(problem, frame, RowNumbers::perBatch(problem)) {}

  /// Opens batch `number` (index). Must be called once, before the functions below.
  void openBatch(Value number);
  /// Opens the rows of the batch from `first` (index) on, at most `maxCount`: prepares the mask and sets `range`.
  void open(Value first, int64_t maxCount);
  /// Opens batch and rows of this thread block, if each block computes `count` rows of a batch and there are as few
  /// blocks as possible; returns its first row. Later rows of a batch have lower block numbers.
  Value openBlock(int64_t count);

  const RowNumbers numbers;
  Values outerSizes, keySizes, valueSizes; ///< index: extents of the problem's dimensions
  Value rows, keys, values;                ///< index: rows of a batch, as `numbers` counts them; keys; values of a row
  Value batch;                             ///< index: the number of the open batch
  AttendMask::KeyRange range;              ///< all pairs of these rows outside of the range are masked

  /// i1: whether the batch has a row of that number (index).
  Value exists(Value row);
  /// The formulas of the batch, for `lanes` points at once; of a head group, those of its first head.
  RegionVectoriser formulas(int64_t lanes) const;
  /// Subscripts (index) of a row by its number in the batch: the head, if rows are those of head groups, then the row
  /// dimensions. Past the end, those of the last row.
  Values subscriptsOf(Value row);
  /// Returns `to` with a row, or a key by its number (index), bound: the same in all lanes.
  RegionVectoriser bindRow(RegionVectoriser to, ValueRange subscripts) const;
  RegionVectoriser bindRow(RegionVectoriser to, Value row) { return bindRow(std::move(to), subscriptsOf(row)); }
  RegionVectoriser bindKey(RegionVectoriser to, Value key);

  /// Decides the mask of the open rows and `count` keys from `first` on, by interval analysis.
  AttendMask::Decision decide(Value first, Value count);
  /// The first of the tiles of `tileKeys` keys that begin at `from`, from + tileKeys, ... with possibly unmasked pairs
  /// of the open rows.
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
  Value firstHead; ///< index: of the group; null if rows are not those of head groups
};

} // namespace attnc
