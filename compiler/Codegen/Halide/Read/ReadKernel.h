//===- ReadKernel.h - a kernel as a pipeline of stages ------------------------------------------------------------===//
//
// Takes `loops`, `gemm` and `rows` kernels of linalg.generics and attn.scatter_adds. Each sum, each result of the
// kernel and what is dear and wanted more than once is a stage; other pointwise operations are computed where they are
// read, or where a sum that they alone read is stored. A LayerNorm over rows of d:
//
//   stage 0   mean[i] = (sum over j of x[i, j]) / d
//   stage 1   inverse[i] = rsqrt((sum over j of (x[i, j] - mean[i])^2) / d + epsilon)
//   stage 2   (x[i, j] - mean[i]) * inverse[i] * gain[j] + bias[j]            the kernel's result
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Read/Operations.h"
#include "compiler/Codegen/Halide/Schedule/Staging.h"
#include "compiler/Codegen/Interface/Kernel.h"

namespace attnc::halide {

struct KernelPipeline {
  std::vector<PlannedStage> stages; ///< each in front of those that read it
  std::vector<SizeExpr> arguments;  ///< of all stages
  Operations operations;            ///< that nodes are, of each kind one
  SizeExpr flops;                   ///< of a launch
};

/// Nothing where it can't be said to Halide; `reason` says why.
std::optional<KernelPipeline> readKernel(mlir::func::FuncOp kernel, std::string &reason);

} // namespace attnc::halide
