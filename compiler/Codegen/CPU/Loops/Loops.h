//===- Loops.h - loops kernels that are not one linalg.generic: moves of elements and scatter-adds ----------------===//
//
// Loops.cpp emits a loops kernel that is one linalg.generic, or a reduction with an epilogue, and calls these functions
// for the others.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Target/Target.h"
#include "dialects/Attn/Attn.h"

namespace attnc {

// Both functions append the functions of the kernel's phases to `code`, and return the phases and the cost. The kernels
// need no scratch.

/// Emits a kernel whose results are zeros or rearranged elements of its operands: slices, reshapes, transposes or a
/// concatenation. Each result has a phase, and a concatenation has a phase for each of its inputs. (A kernel that is
/// only a transpose does not reach this function: takeComputation() of Computation.h makes it a linalg.generic.)
KernelCode emitMoves(mlir::func::FuncOp kernel, const Target &target, mlir::ModuleOp code);

/// Emits a kernel that returns the result of `op`, in one phase. If hasDistinctTargets(), the algorithm is that of
/// ScatterSums.h; otherwise the terms are added to the elements in the order of the loops, and a subscript out of range
/// is replaced by the nearest one in range, without a report. An empty result has no chunk.
KernelCode emitScatter(mlir::func::FuncOp kernel, mlir::attn::ScatterAddOp op, const Target &target,
                       mlir::ModuleOp code);

} // namespace attnc
