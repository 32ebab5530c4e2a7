//===- KeyCopy.h - copies of tiles of keys or values by threads (cp.async) ----------------------------------------===//
//
// In attention, a tile of keys, or of the values of these keys, is a SharedTile with a row for each key. KeyRings and
// KeyStages copy such tiles from global to shared memory by KeyCopy, unless TMA copies them.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendMatrices.h"

namespace attnc {

/// The copies of keys, or of values, by one thread.
class KeyCopy {
public:
  using Value = mlir::Value;
  /// Emits the addresses of this thread, which is number `thread` (i32) of the `threads` threads that copy. The copies
  /// go to stages of `tile`. `lines` are the rows of the keys or values of the open batch in global memory; each has
  /// the bytes of a row of the tile. `tiles` outlives the object.
  KeyCopy(TileBuilder &tiles, const SharedTile &tile, const AttendSources::KeyRows &lines, Value thread,
          int64_t threads);

  /// Issues this thread's copies of `tile.rows` keys, from key number `first` on, to stage number `stage` (i32); rows
  /// for keys from number `end` on (both index) become zero. The caller commits the copies.
  void issue(Value first, Value end, Value stage);

private:
  TileBuilder &tiles;
  LoopBuilder loops; ///< for indices only
  const SharedTile tile;
  const Value stride; ///< i64, bytes
  TileCopy copy;
};

} // namespace attnc
