//===- ElementGradients.h - scatter-add of gradients to the elements that a formula loads ---------------------===//
//
// A vector of gradients is added to consecutive elements, strided ones, one element, or lane by lane where lanes may
// address the same element. Out-of-range subscripts are clamped, and not reported: the forward pass has reported them.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/CPU/AttendGradient/GradientProblem.h"
#include "compiler/Codegen/Formula/RegionVectoriser.h"
#include "compiler/Codegen/Nest/FlatBuilder.h"
#include "compiler/Codegen/Nest/KernelFrame.h"

namespace attnc {

class ElementGradients {
public:
  using Value = mlir::Value;
  using ValueRange = mlir::ValueRange;
  using Values = LoopBuilder::Values;
  ElementGradients(KernelFrame &frame, FlatBuilder &loops) : frame(frame), loops(loops) {}

  /// Adds the active lanes of `gradient` to the elements of `result` at the subscripts of `extract`. If `isFirst` is
  /// given and holds, consecutive elements are overwritten.
  void add(unsigned result, mlir::tensor::ExtractOp extract, RegionVectoriser &at, Value gradient,
           Value isFirst = {}) const;
  /// Adds the gradients of all terms of a formula whose cotangent is given, in the active lanes.
  void addScope(const GradientScope &scope, RegionVectoriser &at, Value cotangent) const;

private:
  void addAt(Value memref, llvm::ArrayRef<LaneIndex> subscripts, ValueRange bases, RegionVectoriser &at, Value gradient,
             Value isFirst) const;
  void addToRun(Value memref, ValueRange place, Value gradient, Value active, Value isFirst) const;
  void addApart(Value memref, llvm::ArrayRef<LaneIndex> subscripts, Value gradient, Value active) const;
  void addOneByOne(Value memref, llvm::ArrayRef<LaneIndex> subscripts, RegionVectoriser &at, Value gradient,
                   Value active) const;

  KernelFrame &frame;
  FlatBuilder &loops;
};

} // namespace attnc
