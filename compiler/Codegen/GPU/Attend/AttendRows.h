//===- AttendRows.h - a block of rows, and the key range and key tiles that its mask leaves -----------------------===//
//
// In attention, a row is a query with all its keys; a batch is a set of rows that share their keys (AttendProblem.h).
// The threads that compute a block of rows of one batch bind the same indices in the formulas of score, mask and
// weight, and derive the keys to visit from the same mask. AttendRows emits this code for all attention kernels of a
// device:
//
//   AttendRows rows(problem, frame);
//   rows.openBatch(number);
//   rows.open(first, count);               rows.range is now the key range that the mask leaves for these rows
//   RegionVectoriser row = rows.bindRow(rows.formulas(lanes), rowNumber);
//   for (KeyTile tile = rows.search(rows.range.begin, 64); tile.first < rows.range.end; ...)
//
// If the heads of a group read the same keys, a batch may have the rows of all heads of the group, head by head
// (RowNumbers). Whole warps execute the code of open(), decide() and search() together, because their threads evaluate
// bounds of the mask together.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Nest/ThreadGroup.h"
#include "compiler/Codegen/Kernels/Attend/AttendMask.h"

namespace attnc {

/// A tile of consecutive keys, some of whose pairs with the open rows may be unmasked. `first` is the number of its
/// first key; if `first` is not below the end of the key range, there is no tile. `all` is true only if no pair of the
/// rows with keys of the tile in the key range is masked.
struct KeyTile {
  mlir::Value first, all; ///< index; i1
};

/// Numbering of rows by batch: by the batches of the problem, or by head groups (AttendProblem.h).
struct RowNumbers {
  bool areGrouped = false; ///< a batch has the rows of all heads of a head group; else it is one of the problem's
  SizeExpr batches, rows;  ///< number of batches; rows of a batch. If the heads are no multiple of the group, some rows
                           ///< of the last group do not exist

  /// The batches and rows of the problem.
  static RowNumbers perBatch(const AttendProblem &problem) { return {false, problem.batches, problem.rows}; }
  /// A batch for each head group; as perBatch if the heads do not form groups.
  static RowNumbers perGroup(const AttendProblem &problem);
};

/// The code for a block of rows. All functions but the constructor emit at the insertion point of the frame; numbers of
/// rows, keys and batches start at 0.
class AttendRows {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;

  /// Emits loads of the sizes. `frame` is that of the kernel phase. `problem` and `frame` outlive the object.
  AttendRows(const AttendProblem &problem, DeviceFrame &frame, const RowNumbers &numbers);
  AttendRows(const AttendProblem &problem, DeviceFrame &frame)
      : AttendRows(problem, frame, RowNumbers::perBatch(problem)) {}

  /// Opens batch number `number` (index): computes its indices. Must be called once, before the functions below.
  void openBatch(Value number);
  /// Opens the rows of the batch from number `first` (index, less than `rows`) on, at most `maxCount`: prepares the
  /// mask for them and sets `range`. Must be called before decide() and search().
  void open(Value first, int64_t maxCount);
  /// Calls openBatch() and open() for the rows of this thread block; returns the number (index) of its first row. Each
  /// block computes `count` rows of a batch, and the launch has batches * ceil(rows / count) blocks. Later rows of a
  /// batch have lower block numbers.
  Value openBlock(int64_t count);

  const RowNumbers numbers;
  Values outerSizes, keySizes, valueSizes; ///< index: extents of the dimensions of the attn.attend
  Value rows, keys, values;                ///< index: rows of a batch, as `numbers` counts them; keys; values of a row
  Value batch;                             ///< index: the number of the open batch
  AttendMask::KeyRange range;              ///< of the open rows: all their pairs with keys outside of it are masked.
                                           ///< May be empty or have begin > end. Split-KV makes it a part of
                                           ///< this range (PartialResults::cut)

  /// i1: whether the open batch has a row number `row` (index).
  Value exists(Value row);
  /// An evaluator of the problem's formulas for `lanes` points at once, with the indices of the open batch bound. If
  /// the batch is a head group, the head is bound to its first head until bindRow() binds another one. Subscripts from
  /// data in score and value that are out of range are not reported, because both are evaluated for masked pairs too; a
  /// caller that evaluates such subscripts checks them for the other pairs (RegionVectoriser::checkSubscripts).
  RegionVectoriser formulas(int64_t lanes) const;
  /// Subscripts (index) of row number `row` (index) of the batch: if the batch is a head group, first the head; then
  /// the row dimensions. Past the end, those of the last row, or of the last head.
  Values subscriptsOf(Value row);
  /// Return `to` with a row bound, by its subscripts or its number (index), or a key by its number (index). The binding
  /// is the same in all lanes.
  RegionVectoriser bindRow(RegionVectoriser to, ValueRange subscripts) const;
  RegionVectoriser bindRow(RegionVectoriser to, Value row) { return bindRow(std::move(to), subscriptsOf(row)); }
  RegionVectoriser bindKey(RegionVectoriser to, Value key);

  /// Decides, as far as interval analysis can, whether some, and whether all, pairs of the open rows with the `count`
  /// keys from number `first` (both index) on are unmasked; if it cannot, `some` is true and `all` is false. `count` is
  /// positive, and all these keys are in `range`.
  AttendMask::Decision decide(Value first, Value count);
  /// The first tile with possibly unmasked pairs of the open rows, among the tiles of `tileKeys` keys that begin at
  /// `from` (index), from + tileKeys, ... Without a mask it is the tile at `from`. If there is no tile, `first` of the
  /// result is not below range.end.
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
