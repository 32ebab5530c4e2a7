//===- OperandCopy.h - tiles of an operand on their way to shared memory ------------------------------------------===//
//
// Whole units where the operand's neighbours are neighbours in the tile too. Otherwise element by element: f32 by
// copies of 4 bytes, so that the tile may be turned around; narrower ones are widened to f32 on the way, and are there
// at once.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Gemm/GemmOperand.h"

namespace attnc {

/// What a block has of an operand.
struct OperandPart {
  mlir::Value batch, first; ///< index: the matrix, and the number in the outer group where the tiles begin
  mlir::Value left;         ///< i32: how many follow, perhaps more than the tile has
  mlir::Value depth;        ///< index
  int64_t tileDepth, tileOuter;
};

class OperandCopy {
public:
  /// `rowsAreDepth`: of the tile, whose elements are f32 unless all of it comes in units.
  OperandCopy(DeviceFrame &frame, TileBuilder &tiles, const GemmOperand &operand, const SharedTile &tile,
              bool rowsAreDepth, OperandPart part, int64_t threads);

  /// Issues the copies of step `step` (i32) of the depth, to stage `stage` (i32).
  void issue(mlir::Value stage, mlir::Value step);
  /// Puts what `change` makes of it in place of each word (i32) that this thread has copied there, and has awaited;
  /// requires that all of the tile comes in units.
  void changeWords(mlir::Value stage, llvm::function_ref<mlir::Value(mlir::Value word)> change);

private:
  struct Element {
    mlir::Value outer, depth; ///< in the tile
    mlir::Value place;        ///< in a stage
    mlir::Value source;       ///< !llvm.ptr<1>, at depth 0 of a step where that is flat
  };
  void openUnits(mlir::Value thread);
  void openElements(mlir::Value thread);
  void issueElement(const Element &element, mlir::Value target, mlir::Value before, mlir::Value depthLeft);
  mlir::Value bytes(LoopGroup group, mlir::Value flat); ///< i64

  DeviceFrame &frame;
  TileBuilder &tiles;
  FlatBuilder code;
  const GemmOperand operand;
  const SharedTile tile;
  const bool rowsAreDepth;
  const OperandPart part;
  const int64_t threads;
  std::optional<TileCopy> units;
  llvm::SmallVector<Element> elements;
};

} // namespace attnc
