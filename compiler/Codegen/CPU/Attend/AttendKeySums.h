//===- AttendKeySums.h - sums of attention weights over queries, for each key -------------------------------------===//
//
// The result `key_sums` of attn.attend has, for each key, the sum of its attention weights over all queries and over
// the outer dimensions that the op names. The prefill algorithm computes it in two phases. The first phase is that of
// AttendPrefill.h. The tiles of tileQ() queries of a batch are divided into at most sixteen parts, and each part is a
// chunk. Part p has the tiles p, p + parts, p + 2 parts, ... and adds their weights to its partial sums in the shared
// scratch (Prefill/FinalWeights.h). The second phase, in this header, adds the partial sums:
//
//   sums[batch][part][key]                                                            first phase
//   result[o][key] = sum over batches of o, over parts of sums[batch][part][key]      second phase, in this order
//
// o are the outer indices that `key_sums` does not sum over, and the batches of o are all batches with these indices.
// The number of parts depends on sizes alone, so results are the same bits at any number of threads. The memory is
// linear in the number of keys.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/AttendSchedule.h"
#include "compiler/Codegen/Nest/FlatBuilder.h"
#include "compiler/Codegen/Nest/KernelFrame.h"

namespace attnc {

/// The number of parts of a batch; the bytes of the partial sums of all batches in the shared scratch.
SizeExpr keySumParts(const AttendProblem &problem, const AttendSchedule &schedule);
SizeExpr keySumBytes(const AttendProblem &problem, const AttendSchedule &schedule);
/// The partial sums as a flat memref of f32, [batch][part][key], at byte 0 of the shared scratch of the open phase
/// `frame`.
mlir::Value keySumsOf(const AttendProblem &problem, const AttendSchedule &schedule, KernelFrame &frame);

/// The second phase, whose function is `symbol` in `code`. A chunk stores the sums of one o for all keys. Requires that
/// `key_sums` is a result. The object refers to `problem` and `schedule`.
class AttendKeySums {
public:
  AttendKeySums(const AttendProblem &problem, const AttendSchedule &schedule, llvm::StringRef symbol,
                mlir::ModuleOp code);
  void emit(); ///< emits the body of the function; called once
  SizeExpr chunks() const;

private:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;
  Value sumOfParts(Value key, Value count);

  const AttendProblem &problem;
  const AttendSchedule &schedule;
  KernelFrame frame;
  FlatBuilder loops;
  Value sums, keys, parts;
  Values batchIndices, batchSizes; ///< [batch dimension]; an index that is summed over is null
};

} // namespace attnc
