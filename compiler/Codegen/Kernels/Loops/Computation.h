//===- Computation.h - what a loops kernel computes -----------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Kernel.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc {

/// Whether the kernel is one computation, or moves elements, in formulas that the RegionVectoriser evaluates.
Verdict canEvaluateLoops(mlir::func::FuncOp kernel);

/// The one computation of `kernel`, a copy, with its loops collapsed; a transpose is one too. Null where elements are
/// moved in other ways.
mlir::linalg::GenericOp takeComputation(mlir::func::FuncOp kernel);

} // namespace attnc
