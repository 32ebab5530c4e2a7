//===- Affine.h - evaluation of affine expressions and ops on integers --------------------------------------------===//
#pragma once

#include "compiler/Reference/ScalarOps.h"
#include "mlir/IR/AffineMap.h"

namespace attnc::reference {

/// The value of `expression`, where dimension n is dimensions[n] and symbol n is symbols[n]. Divisors must be positive.
/// floordiv rounds down, ceildiv up, and mod returns a number from 0 to the divisor less one.
int64_t evaluate(mlir::AffineExpr expression, llvm::ArrayRef<int64_t> dimensions, llvm::ArrayRef<int64_t> symbols = {});
/// The function that `op`, an affine.apply, affine.min or affine.max, computes from its operands; empty for any other
/// op. `op` must outlive it.
ScalarFunction affineFunction(mlir::Operation *op);

} // namespace attnc::reference
