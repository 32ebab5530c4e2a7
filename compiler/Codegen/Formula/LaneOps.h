//===- LaneOps.h - vectorisation of single ops of `arith` and `math` ----------------------------------------------===//
//
// Each function receives a scalar op of a formula (FormulaBindings.h) and the values of its operands in generated code.
// It emits the op on these operands at the insertion point and returns the result. RegionVectoriser calls them.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Formula/LaneArithmetic.h"

namespace attnc {

/// Emits `op`, which has one result, on scalars or vectors of L lanes; the result is a vector if an operand is. The
/// numeric contract is that of formulas: a vector divided by a scalar is multiplied by the reciprocal, unless the op
/// has `attn.exact`; an integer division or remainder by zero divides by one (a constant divisor must not be 0); a
/// conversion of a float to a signed integer saturates, and NaN becomes 0.
mlir::Value emitElementwise(const LaneArithmetic &lanes, mlir::Operation *op, llvm::SmallVector<mlir::Value> operands);

/// Emits a binary integer op of `arith` on two indices. A divisor of zero becomes one, unless it is a constant. The
/// result is marked as proved only if a and b are and the op is a sum, a difference, or a product, a division or a
/// remainder with a size of the kernel or a constant as operand. A product that may exceed 32 bits is computed in 64
/// bits if a user of the result needs all of them, such as a division or a comparison.
LaneIndex emitIndexArithmetic(const LaneArithmetic &lanes, mlir::Operation *op, LaneIndex a, LaneIndex b);

/// A copy of `op`, which has one result, on other operands and with another result type. Sums, differences and products
/// of floats get the flag `contract`, which permits an fma, unless `op` has `attn.exact`; the copy has no `attn.exact`.
mlir::Value cloneOp(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange operands, mlir::Type resultType);

} // namespace attnc
