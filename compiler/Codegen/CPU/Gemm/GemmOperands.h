//===- GemmOperands.h - the operands of register tiles in a GEMM phase ------------------------------------------===//
//
// LeftOperand selects the rows that a tile reads: in the tensor itself, from rows that the chunk has widened to f32, or
// from copies of the tiles. RightPanels selects the panel. Both fill in TileOperands (GemmTile.h). GemmSchedule.h
// describes tiles, blocks, panels and chunks.
//
// Values are of type index unless a comment states another type. Offsets are in elements; rows, columns, batches, tiles
// and k are flat numbers.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Gemm/GemmSchedule.h"
#include "compiler/Codegen/CPU/Gemm/GemmTile.h"
#include "compiler/Codegen/CPU/Gemm/PackPanel.h"
#include "compiler/Codegen/Nest/KernelFrame.h"

namespace attnc {

/// The inputs of all parts of a GEMM phase, which derive from it.
struct GemmContext {
  using Value = mlir::Value;

  const GemmProblem &problem;
  const GemmSchedule &schedule;
  KernelFrame &frame;
  FlatBuilder &code;

  /// The offset in the tensor of `access` of number `flat` of a loop group, without the offsets of other groups.
  Value offset(const Access &access, LoopGroup group, Value flat) const;
  /// M, N, K, or the number of matrices.
  Value extent(LoopGroup group) const { return frame.size(problem.extent(group)); }
};

/// The rows as tiles of at most two heights, which are among schedule.blockHeights: tile t has the `height(t)` rows
/// before row `firstNew(t + 1)`. Tiles may overlap: its rows before `firstNew(t)` are rows of the tile before, too.
/// Requires more rows than one tile (`blockHeights` is not empty).
class RowTiles : GemmContext {
public:
  explicit RowTiles(const GemmContext &context);

  Value firstNew(Value tile) const; ///< the first row that no tile before has; the number of rows after the last tile
  Value height(Value tile) const;
  Value first(Value tile) const; ///< firstNew(tile + 1) - height(tile)
  /// The first tile of block `rowBlock`, and the tile after its last one.
  std::pair<Value, Value> block(Value rowBlock) const;

private:
  Value rows, count; ///< numbers of rows and of tiles
  Value low, higher; ///< the lower height; the number of tiles, the first ones, that are one row higher
};

/// The left operand of the matrix that setBatch() has selected.
class LeftOperand : GemmContext {
public:
  explicit LeftOperand(const GemmContext &context);

  void setBatch(Value batch) { batchOffset = offset(problem.left, LoopGroup::Batch, batch); }
  /// The offset in `source` of row `row` at k = 0.
  Value rowOffset(Value row) const { return code.add(batchOffset, offset(problem.left, LoopGroup::Row, row)); }
  /// Emits a copy of `count` rows from `first` on, all of K, to worker scratch as f32. tile() must be called
  /// afterwards, for these rows. Requires schedule.widensLeft.
  void widen(Value first, Value count);
  /// Emits a copy of `steps` steps (at most kc) from k0 on of `count` tiles to worker scratch. Afterwards copiedTile()
  /// selects one by its number among these. Requires schedule.copiesLeft.
  void copyTiles(const RowTiles &tiles, Value firstTile, Value count, Value k0, Value steps) const;

  /// The left operands of a tile of `height` rows from `firstRow` on, from step k0 on; the other fields are empty. Rows
  /// beyond number `lastRow` repeat that one; null: there are none.
  TileOperands tile(Value firstRow, int64_t height, Value lastRow, Value k0) const;
  /// The same of copied tile `number`, from the first copied step on.
  TileOperands copiedTile(Value number, int64_t height) const;

  Value source; ///< the tensor's buffer, flat

private:
  Value copied; ///< flat f32: the widened rows [row][K], or the copied tiles [tile][kc][mr]
  Value step;   ///< from one k to the next in `source`
  Value batchOffset;
  Value firstWidened; ///< the row that `copied` starts with
};

/// The right operand in panels of nr columns: a packed weight, panels that the kernel has packed, or (`readsRight`,
/// `dots`) the tensor itself.
class RightPanels : GemmContext {
public:
  explicit RightPanels(const GemmContext &context);

  /// Emits the packing of the panel to worker scratch if `packsPanels`; otherwise emits nothing.
  void pack(Value batch, Value panel) const;
  /// Sets `panel` and `panelOffset` of `operands`: the panel that starts at `offset`, from step k0 on.
  void addTo(TileOperands &operands, Value offset, Value k0) const;
  /// The offset in `buffer` of the panel at k = 0; 0 if `packsPanels`. Not for `dots`.
  Value panelOffset(Value batch, Value panel) const;
  Value step() const; ///< elements from one k to the next
  /// Cache lines of a panel in four steps of k.
  int64_t lines() const { return schedule.nr * 4 / lineElements(); }
  int64_t lineElements() const { return FlatBuilder::lineElements(buffer); }

  Value buffer; ///< flat
};

/// The right operand as the source of emitPackPanel, with the flat buffer `packed` as the target.
PackedMatrix rightMatrix(const GemmContext &context, mlir::Value packed);

} // namespace attnc
