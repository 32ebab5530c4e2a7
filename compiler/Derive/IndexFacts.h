//===- IndexFacts.h - linear integer inequalities between indices, and their consequences -------------------------===//
//
// Inequalities between integers, which are the dimensions and symbols of affine expressions:
//
//   0 <= d0 < 24,  0 <= d1 < 3,  d0 + d1 - 1 >= 0        imply   d0 + d1 >= 1,  d0 <= 23
//
// Divisions and products of variables are not linear: they add no fact and are never proven.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/SmallVector.h"

namespace attnc {

class IndexFacts {
public:
  explicit IndexFacts(unsigned dims) : dims(dims) {}

  /// Adds expr >= 0.
  void addNonNegative(mlir::AffineExpr expr) { facts.push_back(expr); }
  /// Adds 0 <= expr < size.
  void addInRange(mlir::AffineExpr expr, mlir::AffineExpr size);
  /// Whether the facts imply expr >= 0. False also means that no proof was found.
  bool isNonNegative(mlir::AffineExpr expr) const;
  /// Whether the facts imply 0 <= expr < size.
  bool isInRange(mlir::AffineExpr expr, mlir::AffineExpr size) const;

private:
  unsigned dims;
  llvm::SmallVector<mlir::AffineExpr> facts;
};

} // namespace attnc
