//===- GemmOperands.h - addresses of the operands of register tiles of a matrix product ---------------------------===//
//
// GemmPhase.cpp multiplies the left operand (M x K) with the right operand (K x N) in register tiles. The classes below
// emit the addresses that a tile reads. LeftOperand selects the rows of the tile: in the tensor itself, in rows that
// the chunk has copied, or in copies of the tiles. RightPanels selects the panel of the right operand. Both
// fill in fields of TileOperands (GemmTile.h). GemmSchedule.h describes tiles, blocks, panels and chunks.
//
// Values are of type index unless a comment states another type. Offsets are in elements. Rows, columns, batches (the
// matrices of a batched product), tiles and steps k of the depth are flat numbers of the loop groups of GemmProblem.h.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Gemm/GemmSchedule.h"
#include "compiler/Codegen/CPU/Gemm/GemmTile.h"
#include "compiler/Codegen/CPU/Gemm/PackPanel.h"
#include "compiler/Codegen/Nest/KernelFrame.h"

namespace attnc {

/// The inputs of all parts of a GEMM phase. The parts derive from this struct; the caller owns the objects that it
/// refers to, and they outlive the parts.
struct GemmContext {
  using Value = mlir::Value;

  const GemmProblem &problem;
  const GemmSchedule &schedule;
  KernelFrame &frame;
  FlatBuilder &code;

  /// The part of an element's offset in the tensor of `access` that the loops of `group` contribute, if their flat
  /// number is `flat`. The offset of an element is the sum of these parts. Loops that `access` does not have contribute
  /// nothing.
  Value offset(const Access &access, LoopGroup group, Value flat) const;
  /// M, N, K, or the number of matrices.
  Value extent(LoopGroup group) const { return frame.size(problem.extent(group)); }
};

class GroupedRows;

/// The rows that are multiplied with one right matrix: all rows, or in a grouped product those of the matrix. `row`
/// counts the rows of the matrix.
class ProductRows {
public:
  /// All rows of `context`.
  explicit ProductRows(const GemmContext &context) : count(context.extent(LoopGroup::Row)) {}
  /// The rows that are sorted to `matrix`. `groups` outlives this object.
  ProductRows(FlatBuilder &code, const GroupedRows &groups, mlir::Value matrix);

  /// The flat number of a row among all rows.
  mlir::Value number(mlir::Value row) const;
  bool isSorted() const { return groups; } ///< rows of a grouped product, whose numbers are not consecutive

  mlir::Value count; ///< number of rows

private:
  FlatBuilder *code = nullptr;
  const GroupedRows *groups = nullptr; ///< null: all rows
  mlir::Value first;                   ///< the place of the first row in `groups`
};

/// The division of M rows, more than mr, into tiles. Tiles have at most two heights, which are among
/// schedule.blockHeights. Tile t has rows first(t) .. firstOwnRow(t + 1) - 1. Tiles may overlap: rows first(t) ..
/// firstOwnRow(t) - 1 are also rows of tile t - 1, which stores them. Requires that `blockHeights` is not empty.
class RowTiles : GemmContext {
public:
  RowTiles(const GemmContext &context, const ProductRows &matrixRows);

  /// The first row of `tile` that no earlier tile has. For the number of tiles it is M.
  Value firstOwnRow(Value tile) const;
  Value height(Value tile) const; ///< number of rows
  Value first(Value tile) const;  ///< the first row
  /// The number of the first tile of block `rowBlock`, and the number after that of its last tile.
  std::pair<Value, Value> block(Value rowBlock) const;
  Value blocks() const {
    return code.div(code.add(count, schedule.tilesPerBlock - 1), code.constant(schedule.tilesPerBlock));
  }

private:
  Value rows, count; ///< numbers of rows and of tiles
  Value low, higher; ///< the lower height; how many of the first tiles have one row more
};

/// The left operand. setBatch() selects a matrix of the batch, with its rows, and must be called first.
class LeftOperand : GemmContext {
public:
  explicit LeftOperand(const GemmContext &context);

  void setBatch(Value batch, const ProductRows &rowsOfBatch) {
    batchOffset = offset(problem.left, LoopGroup::Batch, batch);
    rows = rowsOfBatch;
  }
  /// The offset in `source` of row `row` at k = 0.
  Value rowOffset(Value row) const { return code.add(batchOffset, offsetInBatch(row)); }
  /// Emits a copy of `count` rows (at most schedule.blockRows()) from row `first` on, all K steps of them, to worker
  /// scratch as f32, in place of the rows that were copied before. If schedule.copiesRows, this must precede tile(),
  /// and tile() selects only from the rows of the last call. Requires schedule.copiesRows.
  void copyRows(Value first, Value count);
  /// Emits a copy of `count` tiles (at most schedule.tilesPerBlock) from `firstTile` on, `steps` steps (at most kc) of
  /// them from step k0 on, to worker scratch as f32. Afterwards copiedTile() selects one of them. Requires
  /// schedule.copiesLeft.
  void copyTiles(const RowTiles &tiles, Value firstTile, Value count, Value k0, Value steps) const;

  /// Operands of a tile of `height` rows from row `firstRow` on, from step k0 on. Sets `left`, `leftOffset`,
  /// `rowDistances` and `leftStep` alone. `lastRow` is the last row that exists: rows of the tile after it repeat it.
  /// If `lastRow` is null, all rows of the tile exist. If left is not flat along K, k0 must begin a run of
  /// problem.depthRun() steps, and `leftStep` holds within this run.
  TileOperands tile(Value firstRow, int64_t height, Value lastRow, Value k0) const;
  /// The same operands for tile `number` of the last copyTiles(), counted from its `firstTile`, from step k0 of
  /// copyTiles() on.
  TileOperands copiedTile(Value number, int64_t height) const;

  Value source; ///< the tensor's buffer, flat

private:
  Value offsetInBatch(Value row) const { return offset(problem.left, LoopGroup::Row, rows->number(row)); }

  std::optional<ProductRows> rows;
  Value copied; ///< flat f32: the copied rows [row][K], or the copied tiles [tile][kc][mr]
  Value step;   ///< from one k to the next in `source`
  Value batchOffset;
  Value firstCopied; ///< the row that `copied` starts with
};

/// The right operand in panels of nr columns: a packed weight, panels that the kernel has packed, or the tensor itself
/// (schedule.readsRight or schedule.dots).
class RightPanels : GemmContext {
public:
  explicit RightPanels(const GemmContext &context);

  /// Emits the packing of panel `panel` of matrix `batch` to worker scratch if schedule.packsPanels; otherwise emits
  /// nothing. The panel replaces the one that was packed before.
  void pack(Value batch, Value panel) const;
  /// Sets `panel` and `panelOffset` of `operands` to the panel at `offset` (panelOffset()), from step k0 on.
  void addTo(TileOperands &operands, Value offset, Value k0) const;
  /// The offset in `buffer` of panel `panel` of matrix `batch` at k = 0; 0 if schedule.packsPanels. Not valid with
  /// schedule.dots.
  Value panelOffset(Value batch, Value panel) const;
  Value step() const; ///< elements of `buffer` from one k to the next
  /// Cache lines of a panel that four steps of k read.
  int64_t lines() const { return schedule.nr * 4 / lineElements(); }
  /// Elements of `buffer` in a cache line.
  int64_t lineElements() const { return FlatBuilder::lineElements(buffer); }

  Value buffer; ///< flat buffer that contains the panels
};

/// The operands of emitPackPanel (PackPanel.h) that pack the right operand into the flat buffer `packed`.
PackedMatrix rightMatrix(const GemmContext &context, mlir::Value packed);

} // namespace attnc
