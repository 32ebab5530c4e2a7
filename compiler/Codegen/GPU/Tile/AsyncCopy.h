//===- AsyncCopy.h - from tensors to a block's memory, while threads compute --------------------------------------===//
//
// Threads issue copies of 16 bytes, which bypass their registers, close them as a group, and wait later until no more
// than so many of their own groups are under way. What others have copied is there behind a barrier as well:
//
//   for stage in 0 .. stages - 2:  copy(stage); close()
//   for each tile of the depth:
//     await(stages - 2); barrier          this tile is there, and nobody still reads the one before it
//     copy the tile `stages - 1` further on, over the one before it; close()
//     compute
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Tile/SharedTile.h"

namespace attnc {

/// A matrix in a tensor, whose rows begin at whole units: `pointer` (!llvm.ptr), and where row r (i32) of the tile
/// begins, in bytes (i64).
struct TileSource {
  mlir::Value pointer;
  llvm::function_ref<mlir::Value(mlir::Value row)> rowOffset;
};

/// Who copies which units of a tile. A thread stays in one row where a row has eight threads or more, and copies every
/// so many units of it; else thread t has units t, t + threads, ... of the tile, row by row.
class TileCopy {
public:
  TileCopy(TileBuilder &tiles, const SharedTile &tile, TileSource source, mlir::Value thread, int64_t threads);

  /// Copies rows below `rows` (null: all) and bytes of a row below `rowBytes` (null: all), `advance` bytes (i64)
  /// from the source's start, to the stage at `stage` (SharedTile::stage); the rest of the tile becomes zero.
  void issue(mlir::Value stage, mlir::Value advance, mlir::Value rows, mlir::Value rowBytes);
  /// Puts what `change` makes of it in place of each word (i32) that this thread has copied to the stage at `stage`,
  /// and has awaited.
  void changeWords(mlir::Value stage, llvm::function_ref<mlir::Value(mlir::Value word)> change);

private:
  struct Unit {
    mlir::Value row, column; ///< column in bytes
    mlir::Value place;       ///< in a stage
    mlir::Value source;      ///< !llvm.ptr<1>
  };
  Unit unitAt(TileSource source, mlir::Value row, mlir::Value unit);
  void stayInRow(TileSource source, mlir::Value thread, int64_t threadsOfRow);
  void goRowByRow(TileSource source, mlir::Value thread, int64_t threads);
  void forEachUnit(llvm::function_ref<void(const Unit &)> body);

  TileBuilder &tiles;
  const SharedTile tile;
  llvm::SmallVector<Unit> units;
  mlir::Value isMine; ///< i1, where the last round has units for some threads alone
};

/// Copies `size` bytes, 4 or 16, from `source` (!llvm.ptr<1>) to `target` (!llvm.ptr<3>): the first `wanted` (i32) of
/// them, and zero for the others. Both are aligned to `size`.
void copyAsync(TileBuilder &tiles, mlir::Value target, mlir::Value source, int64_t size, mlir::Value wanted);
/// A pointer that an operand has, as one to the device's main memory.
mlir::Value globalPointer(TileBuilder &tiles, mlir::Value pointer);
void closeCopies(TileBuilder &tiles);
/// Until at most `open` groups of this thread are under way.
void awaitCopies(TileBuilder &tiles, int64_t open);

} // namespace attnc
