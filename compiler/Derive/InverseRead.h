//===- InverseRead.h - which iterations read an element -------------------------------------------------------===//
//
// A load in the body of a linalg.generic whose subscripts are linear in the loops, turned round. For each subscript one
// loop is solved for by the element's own subscripts e; the other loops go on:
//
//   x[b, 2*i + di - 1, c]     loops b, i < 12, di < 3, c, o      is the element x[e0, e1, e2] where
//     b = e0,   i = (e1 - di + 1) / 2,   c = e2;     di and o go on;     2 divides e1 - di + 1, and 0 <= i < 12
//
// The load may be guarded, `if 2*i + di >= 1 then x[b, 2*i + di - 1, c] else 0`, and its subscript be kept in range by
// a maximum with 0: as it counts only where the condition holds, the subscript is read without the maximum. So is
// `if (i + di) % 2 == 0 then x[b, (i + di) / 2, c] else 0`, whose quotient has no remainder: i = 2*e1 - di.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/SymbolicShapes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineExpr.h"

namespace attnc {

/// Expressions are over `rank` subscripts of an element, then all loops of the generic; symbols are those of `symbols`.
struct InverseRead {
  /// A loop whose index is numerator / divisor, where that is a whole number of its range.
  struct Solution {
    unsigned dim = 0; ///< the subscript that was solved
    mlir::AffineExpr numerator;
    int64_t divisor = 1;
    bool isInRange = false;          ///< for every element and all loops that go on
    std::optional<unsigned> element; ///< the subscript of the element that the index is, over the same range
  };

  /// Nothing where a subscript is not linear, has no loop to solve for, or is kept in range where the load counts;
  /// where far more iterations would be asked than there are; and where a loop may not run though there are elements.
  static std::optional<InverseRead> of(mlir::linalg::GenericOp op, mlir::tensor::ExtractOp load,
                                       SymbolicShapes &shapes);

  unsigned rank = 0;
  llvm::SmallVector<std::optional<Solution>> solutions; ///< of each loop; nothing where it goes on
  /// The loops that go on, those that say where in a window the element lies first.
  llvm::SmallVector<unsigned> remaining;
  llvm::SmallVector<mlir::Value> symbols;
  /// Comparisons of the body that hold wherever an element is read.
  llvm::SmallVector<mlir::Value> comparisonsThatHold;
  /// What is chosen by a guard, if there is one, is the load itself, not what is computed from it.
  bool isGuardedAlone = true;
};

} // namespace attnc
