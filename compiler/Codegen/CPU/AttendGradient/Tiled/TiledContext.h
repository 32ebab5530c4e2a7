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

/// The keys that a chunk computes.
struct KeySplit {
  mlir::Value number; ///< null where keys are not split
  mlir::Value count;  ///< of splits; null where keys are not split
  mlir::Value firstKey, endKey;
};

/// A block of pairs. A whole one has all its rows and keys, and its mask keeps every pair.
struct PairBlock {
  mlir::Value firstRow, rowCount, firstKey, keyCount;
  bool isWhole = false;
  bool isTrimmed = false; ///< the block's pairs lie within TrimmedTiles
};

struct RegisterTile {
  int64_t rows = 0, vectors = 0;
};

} // namespace attnc
