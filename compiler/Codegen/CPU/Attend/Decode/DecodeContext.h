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
  /// Values of a row, padded to vectors.
  Value paddedValues() const { return frame.size(problem.values.alignTo(schedule.lanes)); }
};

/// Keys whose scores are computed before their values are summed.
struct DecodeBlock {
  static constexpr int64_t maxKeys = 256;
  mlir::Value firstKey, count;
  mlir::Value end; ///< of the keys that the chunk visits
};

/// The tiles of a chunk in the worker's scratch.
struct DecodeTiles {
  using Value = mlir::Value;
  DecodeTiles(const DecodeContext &context, AttendScratch &scratch);

  /// The offset of a pair in `scores` and `selected`.
  Value pairOffset(Value key, int64_t row) const { return loops.add(key, row * rowPairs); }

  LoopBuilder &loops;
  const int64_t rowPairs;
  llvm::SmallVector<Value> scores; ///< [product]: [row][key] of a block; the first becomes scores and weights
  Value products;                  ///< [vector]: sums of the products of some keys
  Value selected;                  ///< [row][key]: whether the pair takes part
  Value values;                    ///< [row][value]: O
  Value maxima, sums;              ///< [row]: vectors of m and of l
};

/// Emits phase 1, which allocates its tiles in `scratch`, and phase 2.
void emitSplit(const DecodeContext &context, AttendScratch &scratch);
void emitMerge(const DecodeContext &context);

} // namespace attnc
