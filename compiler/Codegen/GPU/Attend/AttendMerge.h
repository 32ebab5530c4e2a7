//===- AttendMerge.h - the results of rows whose keys were split --------------------------------------------------===//
//
// A block has as many rows as a warp of AttendGeneral has, one after the other. Its warps take splits in turns, a lane
// neighbouring values of them; what the warps have is added in their order. Where a result is no finite number, one
// warp computes the block's rows again, pair by pair, as AttendFragments does.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/GPU/Attend/AttendGeneral.h"
#include "compiler/Codegen/GPU/Attend/AttendParts.h"

namespace attnc {

class AttendMerge {
public:
  AttendMerge(const AttendProblem &problem, const AttendParts &parts, const Target &target, llvm::StringRef symbol,
              mlir::ModuleOp code);
  KernelPhase emit();

private:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;
  /// A row, and what its parts are multiplied with and divided by.
  struct Row {
    RegionVectoriser point; ///< of one lane
    Value number, largest, factor;
  };

  Value mergeRow(Value number, Value wasNone);
  Row openRow(Value number);
  Value correctionOf(Value before, const Row &row);
  Value mergeValues(const Row &row, Value firstUnit);
  Value halfOf(const Row &row, Value first);
  Value sumOfWarp(const Row &row, Value value);
  Value partOf(const Row &row, Value split);
  void storeValues(const Row &row, Value value, Value sum);
  Value scalarOf(Value value);

  mlir::attn::AttendOp op() const { return problem.op; }
  NormaliserCode code() { return {loops, target}; }

  const AttendProblem &problem;
  const AttendParts &parts;
  const Target &target;
  DeviceFrame frame;
  LoopBuilder loops; ///< of one lane
  ThreadGroup warp;
  AttendRows rows;
  AttendGeneral general;
  PartMemory memory;
  const int64_t width; ///< values of an access
  SharedArray sums;    ///< [half][warp][lane][value of the access]
  Value batch, warpNumber;
};

} // namespace attnc
