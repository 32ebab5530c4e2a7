//===- InverseRead.h - inversion of affine subscripts: the iterations that read an element ------------------------===//
//
// The gradient of a tensor x needs, for each element of x, the loop iterations that read it. InverseRead computes them
// for a load (tensor.extract) in the body of a linalg.generic, whose subscripts are affine in the loop indices. Each
// equation "subscript = e_n", where e_n are the subscripts of the element, is solved for one loop index; the loops that
// remain are free:
//
//   x[b, 2*i + di - 1, c]     loops b, i < 12, di < 3, c, o      reads the element x[e0, e1, e2] if
//     b = e0,   i = (e1 - di + 1) / 2,   c = e2;     di and o are free;     2 divides e1 - di + 1, and 0 <= i < 12
//
// If the loops of a subscript are the digits of a number, it is solved for all of them: x[16*i + j] with j < 16 is read
// at i = e0 floordiv 16, j = e0 - 16*i.
//
// The load may be guarded, as in `if 2*i + di >= 1 then x[b, 2*i + di - 1, c] else 0`. Its subscript is then clamped by
// a maximum with 0. The load is used only if the condition holds, so the inversion drops the maximum. Likewise the
// quotient in `if (i + di) % 2 == 0 then x[b, (i + di) / 2, c] else 0` has no remainder: i = 2*e1 - di. The loops in
// any other quotient stay free: x[i + di / 2 - t] is read at i = e0 - di / 2 + t.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/SymbolicShapes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/AffineExpr.h"

namespace attnc {

/// The iterations that read an element. In the affine expressions below, the first `rank` dimensions are the subscripts
/// of the element, the next ones the indices of all loops of the generic, and symbol n is symbols[n].
struct InverseRead {
  /// A solved loop. Its index is numerator / divisor; if this is no integer in the loop's range, no iteration reads the
  /// element at these indices of the free loops.
  struct Solution {
    unsigned dim = 0; ///< the subscript whose equation was solved
    mlir::AffineExpr numerator;
    int64_t divisor = 1;    ///< positive
    bool isInRange = false; ///< the quotient is proved in range for all elements and all iterations of free loops
    std::optional<unsigned> element; ///< the element's subscript that equals the index and has the same extent
  };

  /// Inverts `load`, an op in the body of `op`. Null if a subscript is not affine, has no loop to solve for (a
  /// dimension of one element needs none), contains a loop that is solved with a divisor, has a quotient of loops that
  /// are not solved beside a loop whose coefficient is not 1 or -1, or may be clamped or rounded while the load is
  /// used; a guard counts only if all uses of the load are under the same conditions. Also null if the inverse may
  /// visit more than 8 times as many iterations as `op` has, if a solved loop may have no iterations although the
  /// tensor has elements, or if no operand has the extent of a loop.
  static std::optional<InverseRead> compute(mlir::linalg::GenericOp op, mlir::tensor::ExtractOp load,
                                            SymbolicShapes &shapes);

  unsigned rank = 0;                                    ///< rank of the tensor that the load reads
  llvm::SmallVector<std::optional<Solution>> solutions; ///< by loop; null for free loops
  /// The free loops, first the ones that appear in a solution (offsets in a window).
  llvm::SmallVector<unsigned> remaining;
  /// The `index` values of the symbols; may be null for a symbol that no solution contains.
  llvm::SmallVector<mlir::Value> symbols;
  /// Results of arith.cmpi in the body that are proved to be true in every iteration that reads an element.
  llvm::SmallVector<mlir::Value> impliedComparisons;
  /// False if a guard selects a value that is computed from the load, instead of the load itself. The selection of an
  /// inner guard is such a value.
  bool isGuardedAlone = true;
};

} // namespace attnc
