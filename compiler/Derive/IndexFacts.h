//===- IndexFacts.h - what is known of indices ----------------------------------------------------------------===//
//
// Linear inequalities between whole numbers, the dimensions and symbols of affine expressions, and what follows from
// them:
//
//   0 <= d0 < 24,  0 <= d1 < 3,  d0 + d1 - 1 >= 0        it follows that   d0 + d1 >= 1,  d0 <= 23
//
// Divisions and products of variables are not linear: nothing is learnt from them, and nothing about them follows.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/SmallVector.h"

namespace attnc {

class IndexFacts {
public:
  explicit IndexFacts(unsigned dims) : dims(dims) {}

  /// Learns that expr >= 0.
  void addNonNegative(mlir::AffineExpr expr) { facts.push_back(expr); }
  /// Learns that 0 <= expr < size.
  void addInRange(mlir::AffineExpr expr, mlir::AffineExpr size);
  /// Whether expr >= 0 follows; "no" may also mean "not seen".
  bool isNonNegative(mlir::AffineExpr expr) const;
  /// Whether 0 <= expr < size follows.
  bool isInRange(mlir::AffineExpr expr, mlir::AffineExpr size) const;

private:
  unsigned dims;
  llvm::SmallVector<mlir::AffineExpr> facts;
};

} // namespace attnc
