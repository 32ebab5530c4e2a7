//===- ElementGradients.h - scatter-add of gradients to the elements that a formula loads -------------------------===//
//
// If a formula loads an element of a tensor, the gradient of the element is added to the element with the same
// subscripts in the kernel's result that is the gradient of this tensor (f32). A vector of gradients is added in one of
// four ways: to consecutive elements, to strided elements, to one element (the sum of the lanes), or lane by lane if
// several lanes may address the same element. Out-of-range subscripts are replaced by 0. They are not reported, because
// the forward pass has reported them: the vectorisers that callers pass as `at` have no status. Nothing is added to an
// empty tensor. Both algorithms of the gradient of attention use this class (PairwiseGradient.h,
// Tiled/TiledGradient.h).
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

  /// Emits the addition of the active lanes of `gradient`, a vector of f32, to elements of the kernel's result number
  /// `result`, at the subscripts of `extract`. `at` binds the indices of the lanes and determines which lanes are
  /// active. If `isFirst` (i1) is not null and true at run time, consecutive elements are overwritten instead. In the
  /// three other ways, gradients are added in any case.
  void add(unsigned result, mlir::tensor::ExtractOp extract, RegionVectoriser &at, Value gradient,
           Value isFirst = {}) const;
  /// Emits the addition of the gradients of all leaves of a formula, including those in the terms of its sums.
  /// `cotangent`, a vector of f32, is the cotangent of the formula's value; `at` is as above. A lane whose cotangent is
  /// 0 adds nothing, even if a derivative is not finite.
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
