//===- ReadKernel.h - a kernel as a stage -----------------------------------------------------------------------===//
//
// Takes kernels that hold one linalg.generic with one result: `loops` kernels, and `gemm` kernels without an epilogue.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Halide/Operations.h"
#include "compiler/Codegen/Halide/Stage.h"
#include "compiler/Codegen/Kernel.h"

namespace attnc::halide {

struct KernelStage {
  Stage stage;
  std::vector<unsigned> operands;  ///< of each buffer of the stage, which tensor operand of the kernel it is
  std::vector<SizeExpr> arguments; ///< of the stage
  Operations operations;           ///< that nodes are, of each kind one
};

/// Nothing where it can't be said to Halide; `reason` says why.
std::optional<KernelStage> readKernel(mlir::func::FuncOp kernel, std::string &reason);

} // namespace attnc::halide
