//===- TiledContext.h - shared state of the code generation of the tiled gradient of attention --------------------===//
//
// The tiled gradient (TiledGradient.h) is emitted by several classes. They derive from TiledContext and so have its
// fields as members: the problem, its tile sizes, the target, and the phase with the open batch. This header also
// describes a split of the keys, a block of pairs and a register tile.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/AttendGradientSchedule.h"
#include "compiler/Codegen/CPU/AttendGradient/ElementGradients.h"
#include "compiler/Codegen/CPU/AttendGradient/GradientPhase.h"

namespace attnc {

/// Constants of one phase. TiledGradient and its caller own the objects that the fields refer to.
struct TiledContext {
  const AttendGradientProblem &problem;
  const AttendGradientSchedule &schedule;
  const Target &target;
  GradientPhase &phase;
  const AttendProblem &attend = problem.attend;
  FlatBuilder &loops = phase.loops;
};

/// The keys firstKey .. endKey - 1 of each batch, which a chunk computes; null in TiledGradient::emitShared(). Values
/// are of type index. Keys, and the rows below, are numbered in the batch.
struct KeySplit {
  mlir::Value number; ///< the number of the split, from 0 on; null if a chunk of the phase computes all keys
  mlir::Value count;  ///< the number of splits of a chunk's keys; null in TiledGradient::emitWhole() and emitClear()
  mlir::Value firstKey, endKey;
};

/// A block of pairs of a row and a key: `rowCount` rows from firstRow on, at most tileQ, and `keyCount` keys from
/// firstKey on, at most tileKv. Values are of type index.
struct PairBlock {
  mlir::Value firstRow, rowCount, firstKey, keyCount;
  bool isWhole = false;   ///< the block has tileQ rows and tileKv keys, and the mask keeps every pair
  bool isTrimmed = false; ///< products omit the masked pairs that TrimmedTiles.h describes
};

/// The size of a register tile: rows, and vectors of sums in each row.
struct RegisterTile {
  int64_t rows = 0, vectors = 0;
};

} // namespace attnc
