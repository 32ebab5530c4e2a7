//===- KeyCopy.h - copies of tiles of keys or values by threads (cp.async) ----------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendMatrices.h"

namespace attnc {

class KeyCopy {
public:
  using Value = mlir::Value;
  /// For `threads` threads, of which this is number `thread` (i32), into stages of `tile`, whose rows are keys. `lines`
  /// are the rows of keys or values to copy.
  KeyCopy(TileBuilder &tiles, const SharedTile &tile, const AttendSources::KeyRows &lines, Value thread,
          int64_t threads);

  /// Issues this thread's copies of `tile.rows` keys from `first` on to stage number `stage` (i32); keys from `end` on
  /// (both index) are zero-filled. The caller commits the copies.
  void issue(Value first, Value end, Value stage);

private:
  TileBuilder &tiles;
  LoopBuilder loops; ///< for indices only
  const SharedTile tile;
  const Value stride; ///< i64, bytes
  TileCopy copy;
};

} // namespace attnc
