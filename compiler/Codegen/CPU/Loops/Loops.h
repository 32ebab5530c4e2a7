//===- Loops.h - loops kernels that move elements or scatter sums -----------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Target/Target.h"
#include "dialects/Attn/Attn.h"

namespace attnc {

/// A kernel whose results are rearranged elements of its operands; a single transpose is a linalg.generic instead.
KernelCode emitMoves(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

/// A kernel that returns `op`.
KernelCode emitScatter(mlir::func::FuncOp kernel, mlir::attn::ScatterAddOp op, const Target &target,
                       mlir::ModuleOp code);

} // namespace attnc
