//===- AttendKeySums.h - sums of weights over rows, key by key ------------------------------------------------===//
//
// With `key_sums`, the blocks of tileQ() rows of a batch are divided into at most sixteen parts, a function of their
// number. Each part is a chunk: part p has the blocks p, p + parts, p + 2 parts, ... and adds their attention weights
// to its partial sums in the shared scratch,
//
//   sums[batch][part][key]                             a phase of AttendPrefill.h, by Prefill/FinalWeights.h
//   result[o][key] = sum over batches of o, over parts of sums[batch][part][key]      a second phase, in this order
//
// where o are the outer indices that `key_sums` does not sum over, and the batches of o are those with these indices,
// so that results are the same bits at any number of threads, in memory linear in the number of keys.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/Attend/AttendSchedule.h"
#include "compiler/Codegen/Nest/FlatBuilder.h"
#include "compiler/Codegen/Nest/KernelFrame.h"

namespace attnc {

/// The number of parts of a batch, and the bytes of all partial sums.
SizeExpr keySumParts(const AttendProblem &problem, const AttendSchedule &schedule);
SizeExpr keySumBytes(const AttendProblem &problem, const AttendSchedule &schedule);
/// The partial sums, in shared scratch, as a flat memref of f32.
mlir::Value keySumsOf(const AttendProblem &problem, const AttendSchedule &schedule, KernelFrame &frame);

/// The second phase; a chunk is one o and stores its sums for all keys.
class AttendKeySums {
public:
  AttendKeySums(const AttendProblem &problem, const AttendSchedule &schedule, llvm::StringRef symbol,
                mlir::ModuleOp code);
  void emit();
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
