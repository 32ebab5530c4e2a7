//===- Loops.h - loops kernels that move elements or scatter sums -----------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Target/Target.h"
#include "dialects/Attn/Attn.h"

namespace attnc {

// Both append the functions of the kernel's phases to `code`.

/// A kernel each of whose results is zeros or rearranged elements of its operands: by slices, reshapes, transposes or a
/// concatenation, whose inputs have a phase each. (If a transpose is all that it does, it has become a linalg.generic:
/// takeComputation() of Computation.h.)
KernelCode emitMoves(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

/// A kernel whose result is `op`.
KernelCode emitScatter(mlir::func::FuncOp kernel, mlir::attn::ScatterAddOp op, const Target &target,
                       mlir::ModuleOp code);

} // namespace attnc
