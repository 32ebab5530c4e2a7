//===- KeyCopy.h - tiles of keys, or of values, that threads copy -------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendMatrices.h"

namespace attnc {

class KeyCopy {
public:
  using Value = mlir::Value;
  /// By `threads` threads, of which this is number `thread` (i32), into stages of `tile`.
  KeyCopy(TileBuilder &tiles, const SharedTile &tile, const AttendSources::KeyRows &lines, Value thread,
          int64_t threads);

  /// Begins to copy the keys from `first` on to stage number `stage` (i32); from `end` on (both index) there are zeros.
  void issue(Value first, Value end, Value stage);

private:
  TileBuilder &tiles;
  LoopBuilder loops; ///< of indices alone
  const SharedTile tile;
  const Value stride; ///< i64, bytes
  TileCopy copy;
};

} // namespace attnc
