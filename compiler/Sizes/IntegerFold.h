//===- IntegerFold.h - constant folding of index arithmetic, over numbers and over symbolic sizes -----------------===//
//
// One table of integer operations for the analyses that fold index arithmetic: the size analyses (foldSize), and the
// cost model, which evaluates index arithmetic on numbers. Sizes and indices are not negative, so signed and unsigned
// operations are the same IntegerOp, and a division that is not a ceiling division rounds down.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Sizes/SizeExpr.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace attnc {

enum class IntegerOp { Add, Sub, Mul, FloorDiv, CeilDiv, Rem, Min, Max, And, Or, Xor, ShiftLeft, ShiftRight };

/// The operation of a binary integer op of the arith dialect; null for other ops.
std::optional<IntegerOp> integerOp(mlir::Operation *op);

/// a op b, for a, b >= 0. Null if `op` is FloorDiv, CeilDiv or Rem and b is 0. A shift uses the low 6 bits of b. An
/// overflow is not detected.
std::optional<int64_t> foldIntegers(IntegerOp op, int64_t a, int64_t b);
/// The result of the comparison for a, b >= 0; signed and unsigned predicates are the same.
bool foldComparison(mlir::arith::CmpIPredicate predicate, int64_t a, int64_t b);

/// The result of `op` as a symbolic size, computed from the sizes of its operands:
///
///   tensor.dim with a constant dimension         extent(source, dimension)
///   arith.index_cast, arith.index_castui         indexSize(operand)
///   sums, differences, products, min, max        by SizeExpr; a difference must not be negative
///   floor and ceiling divisions                  by SizeExpr, if the divisor is a positive constant
///
/// `indexSize` returns the size that an operand of type `index` or integer holds, and `extent` the extent of dimension
/// `dim` of a tensor; both return null for an unknown size. The result is null for other ops, if an operand has no
/// size, and if the size would be too long (SizeExpr::maxLength).
std::optional<SizeExpr> foldSize(mlir::Operation *op,
                                 llvm::function_ref<std::optional<SizeExpr>(mlir::Value index)> indexSize,
                                 llvm::function_ref<std::optional<SizeExpr>(mlir::Value tensor, int64_t dim)> extent);

} // namespace attnc
