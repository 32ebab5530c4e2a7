//===- InverseRead.h - inversion of affine subscripts: the iterations that read an element ------------------------===//
//
// Inverts a load in the body of a linalg.generic whose subscripts are affine in the loops. For each subscript, one loop
// index is solved for in terms of the element's subscripts e; the other loops are free:
//
//   x[b, 2*i + di - 1, c]     loops b, i < 12, di < 3, c, o      reads the element x[e0, e1, e2] if
//     b = e0,   i = (e1 - di + 1) / 2,   c = e2;     di and o are free;     2 divides e1 - di + 1, and 0 <= i < 12
//
// The load may be guarded, as in `if 2*i + di >= 1 then x[b, 2*i + di - 1, c] else 0`, and its subscript clamped by a
// maximum with 0. The load is used only if the condition holds, so the maximum is dropped. Likewise the quotient in `if
// (i + di) % 2 == 0 then x[b, (i + di) / 2, c] else 0` has no remainder: i = 2*e1 - di.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/SymbolicShapes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineExpr.h"

namespace attnc {

/// Dimensions of expressions are the `rank` subscripts of an element, then all loops of the generic; symbols are
/// `symbols`.
struct InverseRead {
  /// A solved loop: its index is numerator / divisor, if that is an integer in its range.
  struct Solution {
    unsigned dim = 0; ///< the subscript whose equation was solved
    mlir::AffineExpr numerator;
    int64_t divisor = 1;
    bool isInRange = false;          ///< for all elements and all iterations of free loops
    std::optional<unsigned> element; ///< the element's subscript that equals the index, over the same range
  };

  /// Null if a subscript is not affine, has no loop to solve for, or may be clamped while the load is used; if the
  /// inverse would visit far more iterations than there are; or if a loop may be empty although there are elements.
  static std::optional<InverseRead> compute(mlir::linalg::GenericOp op, mlir::tensor::ExtractOp load,
                                            SymbolicShapes &shapes);

  unsigned rank = 0;
  llvm::SmallVector<std::optional<Solution>> solutions; ///< by loop; null for free loops
  /// Free loops; those that appear in a solution (window offsets) come first.
  llvm::SmallVector<unsigned> remaining;
  llvm::SmallVector<mlir::Value> symbols;
  /// Comparisons of the body that hold whenever an element is read.
  llvm::SmallVector<mlir::Value> impliedComparisons;
  /// Whether a guard, if there is one, selects the load itself rather than a value computed from it.
  bool isGuardedAlone = true;
};

} // namespace attnc
