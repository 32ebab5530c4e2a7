// Affine expressions and maps on numbers.
#pragma once

#include "compiler/Reference/ScalarOps.h"
#include "mlir/IR/AffineMap.h"

namespace attnc::reference {

/// The value of an affine expression; division and remainder round down. A divisor is positive.
int64_t evaluate(mlir::AffineExpr expression, llvm::ArrayRef<int64_t> dimensions, llvm::ArrayRef<int64_t> symbols = {});
/// The function of `affine.apply`, `affine.min` and `affine.max`; empty for any other op.
ScalarFunction affineFunction(mlir::Operation *op);

} // namespace attnc::reference
