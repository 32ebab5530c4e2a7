//===- OperandCopy.h - copies of an operand's tiles to shared memory ----------------------------------------------===//
//
// The threads of a block copy tiles of an operand of a matrix product from global memory, one k-tile (a slice of the
// depth) at a time. There are two ways:
//
//   16-byte vectors      by cp.async, if operand and tile have the same element type, the elements are contiguous along
//                        the same dimension, and the operand consists of aligned vectors (GemmOperand::hasVectors)
//   element by element   otherwise, to a tile of f32, which may be the transpose of the operand: f32 by cp.async of 4
//                        bytes; narrower elements are widened to f32 in registers and stored synchronously
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Gemm/GemmOperand.h"

namespace attnc {

/// The slice of an operand that a block reads: some numbers of the outer group (rows of left, or columns of right;
/// GemmOperand::outer) and the whole depth.
struct OperandSlice {
  mlir::Value batch, first;     ///< index: the batch number, and the first number of the outer group
  mlir::Value left;             ///< i32: numbers of the outer group that remain from `first` on, at most tileOuter
  mlir::Value depth;            ///< index: extent of the depth
  int64_t tileDepth, tileOuter; ///< numbers of the depth and of the outer group in a tile
};

/// The copies of one operand by a thread. The references that the constructor receives outlive the object.
class OperandCopy {
public:
  /// Emits the addresses of this thread. `rowsAreDepth`: the tile is [depth][outer], otherwise [outer][depth]. Threads
  /// 0 .. threads - 1 of the block copy; the others do not execute the code of the class.
  OperandCopy(DeviceFrame &frame, TileBuilder &tiles, const GemmOperand &operand, const SharedTile &tile,
              bool rowsAreDepth, OperandSlice slice, int64_t threads);

  /// Issues this thread's copies of k-tile number `kTile` (i32) to stage number `stage` (i32); elements past the ends
  /// of the operand become zero. The caller commits the copies and, before a read of the stage, waits for them and
  /// synchronises the threads.
  void issue(mlir::Value stage, mlir::Value kTile);
  /// Replaces each 4-byte element x (i32) that this thread has copied to stage number `stage` (i32), and awaited, by
  /// change(x), which emits the code. Requires copies of 16-byte vectors.
  void changeElements(mlir::Value stage, llvm::function_ref<mlir::Value(mlir::Value element)> change);

private:
  struct Element {
    mlir::Value outer, depth; ///< coordinates in the tile
    mlir::Value offset;       ///< byte offset in a stage
    mlir::Value source;       ///< !llvm.ptr<1>, at depth 0 of the operand
  };
  void openVectors(mlir::Value thread);
  void openElements(mlir::Value thread);
  void issueElement(const Element &element, mlir::Value target, mlir::Value before, mlir::Value depthLeft);
  mlir::Value bytes(LoopGroup group, mlir::Value flat); ///< i64

  DeviceFrame &frame;
  TileBuilder &tiles;
  FlatBuilder code;
  const GemmOperand operand;
  const SharedTile tile;
  const bool rowsAreDepth;
  const OperandSlice slice;
  const int64_t threads;
  std::optional<TileCopy> vectors;
  llvm::SmallVector<Element> elements;
};

} // namespace attnc
