//===- ReadAttend.h - a kernel of attention as a pipeline ---------------------------------------------------------===//
//
// Takes `attend` kernels with a softmax that yield the value, and lse or not, over keys of one index, with whatever
// score, mask and value are formulas of f32: sums over features of known numbers are products.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/AttendPipeline.h"
#include "compiler/Codegen/Halide/Operations.h"
#include "compiler/Codegen/Kernels/Attend/AttendProblem.h"

namespace attnc::halide {

struct KernelAttend {
  AttendProblem problem;
  AttendPipeline pipeline;
  /// Of each buffer of the pipeline, which tensor operand of the kernel it is; nothing of tiles and products.
  std::vector<std::optional<unsigned>> operands;
  std::vector<SizeExpr> arguments;
  Operations operations;
  int64_t largestSize = 0; ///< of dynamic sizes
};

/// Nothing where it can't be said to Halide; `reason` says why.
std::optional<KernelAttend> readAttend(mlir::func::FuncOp kernel, std::string &reason);

} // namespace attnc::halide
