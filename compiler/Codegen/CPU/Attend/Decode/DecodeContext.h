//===- DecodeContext.h - shared state of the code generation of decode attention ----------------------------------===//
//
// The decode algorithm (AttendDecode.h, which explains S, m, l and O) is emitted by several classes. They derive from
// DecodeContext and so have its fields as members: the problem, its schedule and shape, the target, and the builders of
// the phase's function. This header also describes a block of keys and the tiles in a worker's scratch.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/AttendDecode.h"
#include "compiler/Codegen/CPU/Attend/AttendScratch.h"
#include "compiler/Codegen/Nest/LoopBuilder.h"

namespace attnc {

/// Constants of one phase. The fields refer to objects and arguments of emitDecode(), and are valid while it runs.
struct DecodeContext {
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;
  using RowTile = DecodeShape::RowTile;
  const AttendProblem &problem;
  const AttendSchedule &schedule;
  const DecodeShape &shape;
  const Target &target;
  KernelFrame &frame;
  LoopBuilder &loops;

  mlir::attn::AttendOp op() const { return problem.op; }
  NormaliserCode code() const { return {loops, target}; }
  /// The number of elements of a value vector, rounded up to whole vectors (index).
  Value paddedValues() const { return frame.size(problem.values.alignTo(schedule.lanes)); }
};

/// A block of keys: the scores of all its keys are computed before their values are summed. It has `count` keys, at
/// most maxKeys, from `firstKey` on, numbered in the batch (index).
struct DecodeBlock {
  static constexpr int64_t maxKeys = 256;
  mlir::Value firstKey, count;
  mlir::Value end; ///< the key after the last key of the chunk's last block
};

/// The tiles of a chunk in the worker's scratch. They are flat memrefs of f32, unless another type is stated. A tile
/// [row][key] has `rowPairs` elements in a row, and its keys are counted from the first key of the block.
struct DecodeTiles {
  using Value = mlir::Value;
  /// Allocates the tiles in `scratch`.
  DecodeTiles(const DecodeContext &context, AttendScratch &scratch);

  /// The offset of a row and key in `scores` and `selected`.
  Value pairOffset(Value key, int64_t row) const { return loops.add(key, row * rowPairs); }

  LoopBuilder &loops;
  const int64_t rowPairs;
  /// For each product of the score (at least one tile): [row][key], its values. In the first tile they are replaced by
  /// the scores, then by the weights (DecodeWeights).
  llvm::SmallVector<Value> scores;
  Value products;     ///< [vector][lane]: intermediate sums of one register tile of DecodeProducts
  Value selected;     ///< [row][key], i32: nonzero if the mask keeps the pair and its score is not -inf
  Value values;       ///< [row][value]: O, with rows of paddedValues() elements
  Value maxima, sums; ///< [row][lane]: m, the same in all lanes; l, as a partial sum in each lane
};

/// Emit the bodies of phase 1 (emitSplit) and phase 2 (emitMerge) into the context's frame, whose chunk number selects
/// the batch and, in phase 1, the split. emitSplit allocates its tiles in `scratch`.
void emitSplit(const DecodeContext &context, AttendScratch &scratch);
void emitMerge(const DecodeContext &context);

} // namespace attnc
