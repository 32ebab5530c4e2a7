//===- ElementGradients.h - scatter-add of gradients to the elements that a formula loads ---------------------===//
//
// A vector of gradients is added to consecutive elements, to strided ones, to one element (the sum of the lanes), or
// lane by lane if several lanes may address the same element. Out-of-range subscripts are clamped, and not reported:
// the forward pass has reported them. In an empty tensor nothing is added.
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

  /// Adds the active lanes of `gradient`, a vector, to the elements of the kernel's result `result` at the subscripts
  /// of `extract`; `at` binds the indices of the lanes and says which lanes are active. If `isFirst` (i1) is given and
  /// holds at run time, consecutive elements are overwritten; elements at other subscripts are added to in any case.
  void add(unsigned result, mlir::tensor::ExtractOp extract, RegionVectoriser &at, Value gradient,
           Value isFirst = {}) const;
  /// Adds the gradients of all leaves of a formula, terms of its sums included, for its cotangent, a vector, in the
  /// active lanes. A lane whose cotangent is 0 adds nothing, even if a derivative is not finite.
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
