//===- AttendMerge.h - merge of split-KV partial results ----------------------------------------------------------===//
//
// The second kernel phase of split-KV (AttendSplitKv.h): for each row (query), it merges the partial results of all
// splits of the row's keys, adds the sink, normalises, and stores the value and the lse. The first phase, SplitKvTiles
// or AttendGeneral::emitPartials, writes the partial results.
//
// A block merges as many rows as a warp of AttendGeneral has, one after the other. The splits of a row are distributed
// cyclically over the warps, its values over the lanes of a warp; the sums of the warps are added in order. If a merged
// value is not finite, one warp computes the block's rows again by AttendGeneral.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendGeneral.h"
#include "compiler/Codegen/GPU/Attend/AttendSplitKv.h"

namespace attnc {

/// The code of the phase. AttendSplitKv::canSplit(problem) holds.
class AttendMerge {
public:
  /// Creates the function `symbol` in the device's module `code`. `splitKv` is that of the first phase. The references
  /// outlive the object.
  AttendMerge(const AttendProblem &problem, const AttendSplitKv &splitKv, const Target &target, llvm::StringRef symbol,
              mlir::ModuleOp code);
  /// Emits the code of the function, once, and returns the phase, with blocks for all rows. The caller multiplies its
  /// chunks by `splitKv.areFew`.
  KernelPhase emit();

private:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;
  /// A row: its number in the batch (index), its maximum over all splits and its normalising factor (f32).
  struct Row {
    RegionVectoriser point; ///< of one lane
    Value number, largest, factor;
  };

  Value mergeRow(Value number, Value notFinite);
  Row openRow(Value number);
  Value correction(Value before, const Row &row);
  Value mergeValues(const Row &row, Value first);
  Value bufferHalf(const Row &row, Value first);
  Value warpSum(const Row &row, Value value);
  Value partialNumber(const Row &row, Value split);
  void storeValues(const Row &row, Value value, Value sum);
  Value scalarOf(Value value);

  mlir::attn::AttendOp op() const { return problem.op; }
  NormaliserCode code() { return {loops, target}; }

  const AttendProblem &problem;
  const AttendSplitKv &splitKv;
  const Target &target;
  DeviceFrame frame;
  LoopBuilder loops; ///< of one lane
  ThreadGroup warp;
  AttendRows rows;
  AttendGeneral general;
  PartialResults memory;
  const int64_t width;     ///< values in an access
  SharedArray sums;        ///< [half][warp][lane][value of the access]
  Value batch, warpNumber; ///< index
};

} // namespace attnc
