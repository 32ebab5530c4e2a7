//===- Computation.h - the computation of a loops kernel ----------------------------------------------------------===//
//
// The emitters of loops kernels, for processors and devices, find the op that they compile by these functions.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc {

/// Yes if the kernel is one of these, with formulas that RegionVectoriser supports: one linalg.generic, and an epilogue
/// on its result if it is a reduction; an attn.scatter_add; or ops that only move elements. Otherwise the reason.
Verdict canEvaluateLoops(mlir::func::FuncOp kernel);

/// The linalg.generic that a kernel computes, without its epilogue. The function changes `kernel`, so the caller passes
/// a copy of the kernel: it collapses adjacent loops that are adjacent in every operand, unless the op has an epilogue,
/// a linalg.index or a loop of static size 0. It turns a kernel of one linalg.transpose of an argument into a
/// linalg.generic. Null for other kernels that only move elements or scatter. Requires canEvaluateLoops().
mlir::linalg::GenericOp takeComputation(mlir::func::FuncOp kernel);

/// The epilogue: the linalg.generic that reads a result of `fold`; null if no linalg.generic does.
mlir::linalg::GenericOp epilogueOf(mlir::linalg::GenericOp fold);

} // namespace attnc
