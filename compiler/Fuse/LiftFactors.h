//===- LiftFactors.h - sums of products of several factors as contractions --------------------------------------===//
//
// A sum whose terms are a product of what depends on the rows and what depends on the columns is a contraction, however
// many factors there are: those of each side are multiplied first, once an element, into a tensor of its own.
//
//   sum_l a[i, l] * s[l] * b[l, j]        →    as[i, l] = a[i, l] * s[l];    sum_l as[i, l] * b[l, j]
//   sum_l t[at[i], l] * b[l, j]           →    ta[i, l] = t[at[i], l];       sum_l ta[i, l] * b[l, j]
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/SymbolicShapes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc {

/// Loops of one iteration are none of a sum of products': x[b, i + di, j + dj, c] * w[di, dj, c, o] over windows of one
/// pixel is a product of matrices.
void dropUnitLoops(mlir::func::FuncOp function);

/// Whether a sum's terms are a product of what rows and what columns depend on: liftFactors makes it a contraction,
/// unless it stays a sum over windows.
bool isProductOfFactors(mlir::linalg::GenericOp sum);

/// A factor that is read at sums of loops would be copied once for each: not where `staysWindow` says so of the sum.
void liftFactors(mlir::func::FuncOp function, SymbolicShapes &shapes,
                 llvm::function_ref<bool(mlir::linalg::GenericOp)> staysWindow);

} // namespace attnc
