//===- Loops.h - loops kernels that are no computation at each point ------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Target/Target.h"
#include "dialects/Attn/Attn.h"

namespace attnc {

/// A kernel whose results are elements of its operands, in other places, but for one transpose.
KernelCode emitMoves(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

/// A kernel that returns `op`.
KernelCode emitScatter(mlir::func::FuncOp kernel, mlir::attn::ScatterAddOp op, const Target &target,
                       mlir::ModuleOp code);

} // namespace attnc
