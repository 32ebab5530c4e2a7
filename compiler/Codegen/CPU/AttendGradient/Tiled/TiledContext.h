//===- TiledContext.h - per-phase constants of the tiled gradient ---------------------------------------------===//
//
// The parts of the tiled gradient (TiledGradient.h) use the same constants: the problem, its tile sizes, the target,
// and the phase with the batch that it computes. Each part derives from TiledContext, whose fields are its members.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/AttendGradientSchedule.h"
#include "compiler/Codegen/CPU/AttendGradient/ElementGradients.h"
#include "compiler/Codegen/CPU/AttendGradient/GradientPhase.h"

namespace attnc {

struct TiledContext {
  const AttendGradientProblem &problem;
  const AttendGradientSchedule &schedule;
  const Target &target;
  GradientPhase &phase;
  const AttendProblem &attend = problem.attend;
  FlatBuilder &loops = phase.loops;
};

/// The keys firstKey .. endKey - 1 of each batch, which a chunk computes. Rows and keys are numbered in the batch.
struct KeySplit {
  mlir::Value number; ///< of the split, from 0 on; null if chunks of the phase compute all keys
  mlir::Value count;  ///< number of splits of a chunk's keys; null in TiledGradient::emitWhole, emitClear
  mlir::Value firstKey, endKey;
};

/// A block of pairs: rows firstRow .. firstRow + rowCount - 1, and keys likewise; at most tileQ rows and tileKv keys.
struct PairBlock {
  mlir::Value firstRow, rowCount, firstKey, keyCount;
  bool isWhole = false;   ///< it has tileQ rows and tileKv keys, and the mask keeps every pair
  bool isTrimmed = false; ///< products omit the masked pairs that TrimmedTiles describes
};

/// Sums in registers.
struct RegisterTile {
  int64_t rows = 0, vectors = 0;
};

} // namespace attnc
