//===- ReadKernel.h - kernels as pipelines of Halide stages -------------------------------------------------------===//
//
// Reads `loops` and `gemm` kernels of linalg.generics and attn.scatter_adds. Each sum, each result of the kernel, and
// each expensive op with several readers is a stage. Other pointwise ops are computed where they are read, or where the
// sum that they alone read is stored. A LayerNorm over rows of d:
//
//   stage 0   mean[i] = (sum over j of x[i, j]) / d
//   stage 1   inverse[i] = rsqrt((sum over j of (x[i, j] - mean[i])^2) / d + epsilon)
//   stage 2   (x[i, j] - mean[i]) * inverse[i] * gain[j] + bias[j]            the result of the kernel
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Read/Operations.h"
#include "compiler/Codegen/Halide/Schedule/Staging.h"
#include "compiler/Codegen/Interface/Kernel.h"

namespace attnc::halide {

/// A kernel as stages.
struct KernelPipeline {
  std::vector<PlannedStage> stages; ///< each before its readers
  std::vector<SizeExpr> arguments;  ///< arguments of all stages
  Operations operations;            ///< distinct operations of their calls
  SizeExpr flops;                   ///< of one launch
};

/// Reads a kernel; null if Halide cannot express it, with the reason in `reason`.
std::optional<KernelPipeline> readKernel(mlir::func::FuncOp kernel, std::string &reason);

} // namespace attnc::halide
