//===- Computation.h - what a loops kernel computes -----------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc {

/// Whether the kernel is one computation, which may have an epilogue where it is a fold, or moves elements, in formulas
/// that the RegionVectoriser evaluates.
Verdict canEvaluateLoops(mlir::func::FuncOp kernel);

/// The one computation of `kernel`, a copy, with its loops collapsed; a transpose is one too. Null where elements are
/// moved in other ways.
mlir::linalg::GenericOp takeComputation(mlir::func::FuncOp kernel);

/// What makes the kernel's result of the fold's, element by element; null where the kernel returns that itself.
mlir::linalg::GenericOp epilogueOf(mlir::linalg::GenericOp fold);

} // namespace attnc
