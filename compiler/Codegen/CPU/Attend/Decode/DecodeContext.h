//===- DecodeContext.h - per-kernel constants and scratch of the decode algorithm -----------------------------===//
//
// All parts of the decode algorithm (AttendDecode.h) derive from DecodeContext, whose fields are its members: the
// problem, its schedule and shape, the target, and the builders of the phase's function.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/AttendDecode.h"
#include "compiler/Codegen/CPU/Attend/AttendScratch.h"
#include "compiler/Codegen/Nest/LoopBuilder.h"

namespace attnc {

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
  /// The number of values of a row, rounded up to whole vectors.
  Value paddedValues() const { return frame.size(problem.values.alignTo(schedule.lanes)); }
};

/// Keys whose scores are computed before their values are summed: `count` keys, at most maxKeys, from `firstKey` on.
struct DecodeBlock {
  static constexpr int64_t maxKeys = 256;
  mlir::Value firstKey, count;
  mlir::Value end; ///< the key after the last one that the chunk visits, in any block
};

/// The tiles of a chunk in the worker's scratch. Tiles of pairs, [row][key], have `rowPairs` elements a row; a key is
/// counted from the block's first one.
struct DecodeTiles {
  using Value = mlir::Value;
  DecodeTiles(const DecodeContext &context, AttendScratch &scratch);

  /// The offset of a pair in `scores` and `selected`.
  Value pairOffset(Value key, int64_t row) const { return loops.add(key, row * rowPairs); }

  LoopBuilder &loops;
  const int64_t rowPairs;
  llvm::SmallVector<Value> scores; ///< [product], of [row][key]: S; the first tile becomes scores, then weights
  Value products;                  ///< [vector][lane]: intermediate sums of one tile of DecodeProducts
  Value selected;                  ///< [row][key], i32: nonzero if the pair is neither masked nor has the score -inf
  Value values;                    ///< [row][value]: O, rows of paddedValues()
  Value maxima, sums;              ///< [row][lane]: m, the same in all lanes; l, a partial sum in each lane
};

/// Emit the body of phase 1, which allocates its tiles in `scratch`, and of phase 2, into the phase of the context.
void emitSplit(const DecodeContext &context, AttendScratch &scratch);
void emitMerge(const DecodeContext &context);

} // namespace attnc
