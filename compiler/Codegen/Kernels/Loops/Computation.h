//===- Computation.h - the linalg.generic of a loops kernel -----------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc {

/// Whether the kernel is one linalg.generic (with an epilogue, if it is a reduction), one attn.scatter_add, or ops that
/// only move elements, and the RegionVectoriser supports its formulas.
Verdict canEvaluateLoops(mlir::func::FuncOp kernel);

/// The computation of `kernel`, a copy, with its loops collapsed; a single transpose is generalised to one. Null for
/// other kernels that only move elements.
mlir::linalg::GenericOp takeComputation(mlir::func::FuncOp kernel);

/// The pointwise op on the result of a reduction; null if the kernel returns that result itself.
mlir::linalg::GenericOp epilogueOf(mlir::linalg::GenericOp fold);

} // namespace attnc
