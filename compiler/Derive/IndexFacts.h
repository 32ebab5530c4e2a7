//===- IndexFacts.h - implication between linear inequalities of indices, by the simplex algorithm ----------------===//
//
// A fact is an inequality between integer variables: the dimensions d0, d1, ... and symbols of affine expressions.
//
//   0 <= d0 < 24,  0 <= d1 < 3,  d0 + d1 - 1 >= 0        imply   d0 + d1 >= 1,  d0 <= 23
//
// A quotient q = e floordiv c by a positive constant is a further variable, with 0 <= e - c*q <= c - 1; e mod c is
// e - c*q. An expression with another quotient or a product of variables is not linear: as a fact it is ignored, and it
// is never proven.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/SmallVector.h"

namespace attnc {

/// A conjunction of facts.
class IndexFacts {
public:
  /// No facts. `dims` is the number of dimensions of all expressions below; the number of symbols is free.
  explicit IndexFacts(unsigned dims) : dims(dims) {}

  /// Adds the fact expr >= 0.
  void addNonNegative(mlir::AffineExpr expr) { facts.push_back(expr); }
  /// Adds the facts 0 <= expr < size.
  void addInRange(mlir::AffineExpr expr, mlir::AffineExpr size);
  /// True if the facts imply expr >= 0; also if they contradict each other and `expr` is linear. The test is sound but
  /// incomplete: false also means that no proof was found.
  bool isNonNegative(mlir::AffineExpr expr) const;
  /// True if the facts imply 0 <= expr < size, by the same test.
  bool isInRange(mlir::AffineExpr expr, mlir::AffineExpr size) const;

private:
  unsigned dims;
  llvm::SmallVector<mlir::AffineExpr> facts;
};

} // namespace attnc
