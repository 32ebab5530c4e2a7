//===- ReadKernel.h - translation of kernels to pipelines of Halide stages ----------------------------------------===//
//
// Reads kernels of kinds `loops` and `gemm`, which consist of linalg.generics, attn.scatter_adds, fills and moves
// (isMove), with scalar `arith` ops before them. Each reduction or scatter, each result of the kernel, each pointwise
// op with fewer loops than its reader, and each expensive one with several readers becomes a stage (Stage.h). Other
// pointwise ops are computed in the stages that read them, or, if an op alone reads a reduction, in its stage. For
// example, with the ops of a LayerNorm over rows of d elements in a kernel of kind `loops`:
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
  std::vector<PlannedStage> stages; ///< in the order of their computation: each before its readers
  std::vector<SizeExpr> arguments;  ///< the value of each argument, which all stages share, over the kernel's symbols
  Operations operations;            ///< distinct operations of the calls of all stages
  SizeExpr flops;                   ///< floating-point operations of a launch
};

/// Reads a kernel. Null, with the reason in `reason`, if the kernel is of another kind, has a packed argument, returns
/// an argument or a constant, or contains a loop of static size 0, or an op, a type, a size or a subscript that a stage
/// cannot express.
std::optional<KernelPipeline> readKernel(mlir::func::FuncOp kernel, std::string &reason);

} // namespace attnc::halide
