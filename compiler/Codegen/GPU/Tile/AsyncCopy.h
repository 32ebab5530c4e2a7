//===- AsyncCopy.h - multistage copies from global to shared memory (cp.async) ------------------------------------===//
//
// Threads issue asynchronous copies, of 4 or 16 bytes, that bypass their registers. A thread commits its copies as a
// group. Later it waits until at most a given number of its own groups is pending. Copies of other threads are visible
// only after a barrier as well. A pipeline of `stages` buffers (SharedTile.h) for slices (k-tiles) of a matrix:
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

/// The rows of a matrix in global memory that a tile copies; each row starts at a multiple of 16 bytes. `pointer` is a
/// !llvm.ptr. `rowOffset` emits the bytes (i64) from `pointer` to row `row` (i32) of the tile; the constructor of
/// TileCopy calls it and does not keep it.
struct TileSource {
  mlir::Value pointer;
  llvm::function_ref<mlir::Value(mlir::Value row)> rowOffset;
};

/// Assigns the 16-byte vectors of a tile to threads and copies them. If a row is one panel (SharedTile.h), and
/// `threads` is a multiple of 8 times the rows, a thread stays in one row and copies vectors at a constant stride.
/// Otherwise thread t copies vectors t, t + threads, ... of the tile, row by row.
class TileCopy {
public:
  /// Emits the addresses of this thread, which is number `thread` (i32) of the `threads` threads that copy. `tiles`
  /// outlives the object.
  TileCopy(TileBuilder &tiles, const SharedTile &tile, TileSource source, mlir::Value thread, int64_t threads);

  /// Issues this thread's copies to the stage at offset `stage` (i32, SharedTile::stageOffset). The source is read from
  /// `advance` bytes (i64, a multiple of 16) after its start. Only rows below `rows`, and in a row only bytes below
  /// `rowBytes`, are read (both i32; null: all); the rest of the tile becomes zero. The caller commits the copies.
  void issue(mlir::Value stage, mlir::Value advance, mlir::Value rows, mlir::Value rowBytes);
  /// Replaces each 4-byte element x (i32) that this thread has copied to the stage at offset `stage` by change(x),
  /// which emits the code. The thread has awaited the copies; other threads see the change after a barrier.
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

/// Issues one copy of `size` bytes, 4 or 16, from `source` (!llvm.ptr<1>) to `target` (!llvm.ptr<3>), both aligned to
/// `size`. Only the first `wanted` bytes (i32, 0 to `size`) are read; the others become zero.
void copyAsync(TileBuilder &tiles, mlir::Value target, mlir::Value source, int64_t size, mlir::Value wanted);
/// Casts the pointer of an operand (!llvm.ptr) to the global address space.
mlir::Value globalPointer(TileBuilder &tiles, mlir::Value pointer);
/// Makes a group of the copies that this thread has issued since the last group.
void commitCopies(TileBuilder &tiles);
/// Waits until at most `open` groups of this thread are pending.
void awaitCopies(TileBuilder &tiles, int64_t open);

} // namespace attnc
