//===- IntegerFold.h - constant folding of index arithmetic, over numbers and over symbolic sizes -----------------===//
//
// One table of integer operations for all analyses that fold index arithmetic. Sizes and indices are not negative, so
// signed and unsigned operations agree, and divisions round down unless they are ceiling divisions.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Sizes/SizeExpr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace attnc {

enum class IntegerOp { Add, Sub, Mul, FloorDiv, CeilDiv, Rem, Min, Max, And, Or, Xor, ShiftLeft, ShiftRight };

/// The operation of a binary op of the arith dialect; null for other ops.
std::optional<IntegerOp> integerOp(mlir::Operation *op);

/// a op b, with a, b >= 0; null for a division by 0 and for the remainder of one.
std::optional<int64_t> foldIntegers(IntegerOp op, int64_t a, int64_t b);
bool foldComparison(mlir::arith::CmpIPredicate predicate, int64_t a, int64_t b);

/// The result of `op` as a size. `op` is a tensor.dim with a constant dimension (then the result of `extent`), a cast
/// between `index` and an integer type, or an operation that SizeExpr can express, with a positive constant divisor.
/// `indexSize` and `extent` return the sizes of operands, or null if they are unknown. Null for other ops, for sizes
/// that are too long (SizeExpr::maxLength), and if an operand has no size.
std::optional<SizeExpr> foldSize(mlir::Operation *op,
                                 llvm::function_ref<std::optional<SizeExpr>(mlir::Value index)> indexSize,
                                 llvm::function_ref<std::optional<SizeExpr>(mlir::Value tensor, int64_t dim)> extent);

} // namespace attnc
