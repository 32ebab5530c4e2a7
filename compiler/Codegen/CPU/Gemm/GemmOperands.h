//===- GemmOperands.h - the operands of register tiles in a GEMM phase ------------------------------------------===//
//
// LeftOperand selects the rows that a tile reads: in the tensor itself, from rows that the chunk has widened to f32, or
// from copies of the tiles. RightPanels selects the panel. Both fill in TileOperands (GemmTile.h).
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

  /// Elements of an operand before number `flat` of a loop group.
  Value offset(const Access &access, LoopGroup group, Value flat) const;
  Value extent(LoopGroup group) const { return frame.size(problem.extent(group)); }
};

/// The rows as tiles of two heights: tile t ends before row `firstNew(t + 1)`. It overlaps the tile before if fewer
/// than `height(t)` rows are left for it.
class RowTiles : GemmContext {
public:
  explicit RowTiles(const GemmContext &context);

  Value firstNew(Value tile) const;
  Value height(Value tile) const;
  Value first(Value tile) const; ///< firstNew(tile + 1) - height(tile)
  /// The first tile of block `rowBlock`, and the end of its tiles.
  std::pair<Value, Value> block(Value rowBlock) const;

private:
  Value rows, count;
  Value low, higher; ///< the lower height; the number of tiles that are one row higher
};

class LeftOperand : GemmContext {
public:
  explicit LeftOperand(const GemmContext &context);

  /// Selects the matrix of the batch.
  void setBatch(Value batch) { batchOffset = offset(problem.left, LoopGroup::Batch, batch); }
  /// Elements before row `row`, at k = 0.
  Value rowOffset(Value row) const { return code.add(batchOffset, offset(problem.left, LoopGroup::Row, row)); }
  /// Widens `count` rows from `first` on, which tiles read afterwards.
  void widen(Value first, Value count);
  /// Copies `steps` steps from k0 on of `count` tiles, which copiedTile() selects.
  void copyTiles(const RowTiles &tiles, Value firstTile, Value count, Value k0, Value steps) const;

  /// The left operands of a tile of `height` rows from `firstRow` on, from step k0 on. Rows beyond number `lastRow`, if
  /// there may be any, repeat that one; null: there are none.
  TileOperands tile(Value firstRow, int64_t height, Value lastRow, Value k0) const;
  /// The same of tile `number` of a block that was copied.
  TileOperands copiedTile(Value number, int64_t height) const;

  Value source; ///< flat

private:
  Value copied; ///< flat
  Value step;   ///< from one k to the next in `source`
  Value batchOffset;
  Value firstWidened; ///< the row that `copied` starts with
};

/// The right operand in panels: a packed weight, panels that the kernel has packed, or the tensor itself.
class RightPanels : GemmContext {
public:
  explicit RightPanels(const GemmContext &context);

  /// Packs the panel, if each chunk packs its own.
  void pack(Value batch, Value panel) const;
  /// Adds the panel that starts at `offset`, from step k0 on.
  void addTo(TileOperands &operands, Value offset, Value k0) const;
  Value panelOffset(Value batch, Value panel) const;
  Value step() const; ///< from one k to the next
  /// Cache lines of a panel in four steps of k.
  int64_t lines() const { return schedule.nr * 4 / lineElements(); }
  int64_t lineElements() const { return FlatBuilder::lineElements(buffer); }

  Value buffer; ///< flat
};

/// The right operand as it is, and `packed` for its panels.
PackedMatrix rightMatrix(const GemmContext &context, mlir::Value packed);

} // namespace attnc
