//===- AsyncCopy.h - multistage copies from global to shared memory (cp.async) ------------------------------------===//
//
// Threads issue asynchronous copies, of 16 bytes or less, that bypass their registers. A thread commits its copies as a
// group, and waits later until at most a given number of its own groups is pending. Copies of other threads are visible
// only after a barrier as well:
//
//   for stage in 0 .. stages - 2:  copy(stage); commit()
//   for each k-tile:
//     await(stages - 2); barrier          this k-tile has arrived, and no thread still reads the previous one
//     copy the k-tile `stages - 1` further on, over the previous one; commit()
//     compute
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Tile/SharedTile.h"

namespace attnc {

/// A matrix in global memory, whose rows are aligned to 16 bytes. `pointer` is a !llvm.ptr; `rowOffset` returns the
/// offset of row r (i32) of the tile from it, in bytes (i64).
struct TileSource {
  mlir::Value pointer;
  llvm::function_ref<mlir::Value(mlir::Value row)> rowOffset;
};

/// Assigns the 16-byte vectors of a tile to threads and copies them. If the tile is one panel and the threads are a
/// multiple of eight for each row, a thread stays in one row and copies vectors at a constant stride. Otherwise thread
/// t copies vectors t, t + threads, ... of the tile, row by row.
class TileCopy {
public:
  /// Emits the addresses of this thread, which is number `thread` (i32) of `threads`.
  TileCopy(TileBuilder &tiles, const SharedTile &tile, TileSource source, mlir::Value thread, int64_t threads);

  /// Copies this thread's vectors of rows below `rows` and of bytes of a row below `rowBytes` (both i32; null: all),
  /// from `advance` bytes (i64) after the source's start, to the stage at offset `stage` (SharedTile::stageOffset). The
  /// rest of the tile is zero-filled. The caller commits the copies.
  void issue(mlir::Value stage, mlir::Value advance, mlir::Value rows, mlir::Value rowBytes);
  /// Replaces each 4-byte element x (i32) that this thread has copied to the stage, and awaited, by change(x).
  void changeElements(mlir::Value stage, llvm::function_ref<mlir::Value(mlir::Value element)> change);

private:
  struct CopiedVector {
    mlir::Value row, column; ///< column in bytes
    mlir::Value offset;      ///< byte offset in a stage
    mlir::Value source;      ///< !llvm.ptr<1>
  };
  CopiedVector vectorAt(TileSource source, mlir::Value row, mlir::Value vector);
  void assignWithinRow(TileSource source, mlir::Value thread, int64_t threadsOfRow);
  void assignRowByRow(TileSource source, mlir::Value thread, int64_t threads);
  void forEachVector(llvm::function_ref<void(const CopiedVector &)> body);

  TileBuilder &tiles;
  const SharedTile tile;
  llvm::SmallVector<CopiedVector> vectors;
  mlir::Value isMine; ///< i1: whether this thread copies the last of `vectors`; null if all threads do
};

/// Copies `size` bytes, 4 or 16, from `source` (!llvm.ptr<1>) to `target` (!llvm.ptr<3>), both aligned to `size`. Only
/// the first `wanted` bytes (i32) are read; the others become zero.
void copyAsync(TileBuilder &tiles, mlir::Value target, mlir::Value source, int64_t size, mlir::Value wanted);
/// Casts the pointer of an operand (!llvm.ptr) to the global address space.
mlir::Value globalPointer(TileBuilder &tiles, mlir::Value pointer);
/// Makes a group of the copies that this thread has issued since the last group.
void commitCopies(TileBuilder &tiles);
/// Waits until at most `open` groups of this thread are pending.
void awaitCopies(TileBuilder &tiles, int64_t open);

} // namespace attnc
