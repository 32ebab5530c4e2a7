// Evaluation of affine expressions and maps on integers.
#pragma once

#include "compiler/Reference/ScalarOps.h"
#include "mlir/IR/AffineMap.h"

namespace attnc::reference {

/// The value of an affine expression. Divisors are positive; floordiv and the remainder round down, ceildiv rounds up.
int64_t evaluate(mlir::AffineExpr expression, llvm::ArrayRef<int64_t> dimensions, llvm::ArrayRef<int64_t> symbols = {});
/// The scalar function of `affine.apply`, `affine.min` or `affine.max`; empty for any other op.
ScalarFunction affineFunction(mlir::Operation *op);

} // namespace attnc::reference
