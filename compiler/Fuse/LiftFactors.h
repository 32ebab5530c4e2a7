//===- LiftFactors.h - sums of products of several factors as contractions ----------------------------------------===//
//
// A sum over products of row factors and column factors is a contraction. The factors of each side are first multiplied
// into a tensor, once for each element.
//
//   sum_l a[i, l] * s[l] * b[l, j]        →    as[i, l] = a[i, l] * s[l];    sum_l as[i, l] * b[l, j]
//   sum_l t[at[i], l] * b[l, j]           →    ta[i, l] = t[at[i], l];       sum_l ta[i, l] * b[l, j]
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/SymbolicShapes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc {

/// Removes loops of one iteration from sums of products, so that x[b, i + di, j + dj, c] * w[di, dj, c, o] over windows
/// of one pixel becomes a matrix product.
void dropUnitLoops(mlir::func::FuncOp function);

/// True if the terms of a sum are products of row factors and column factors, so that liftFactors rewrites the sum to a
/// contraction unless it remains a sum over windows.
bool isProductOfFactors(mlir::linalg::GenericOp sum);

/// Rewrites sums of products to contractions, except sums for which `staysWindow` returns true. A factor whose
/// subscript is a sum of loops (a window) is copied to a tensor with these loops as dimensions.
void liftFactors(mlir::func::FuncOp function, SymbolicShapes &shapes,
                 llvm::function_ref<bool(mlir::linalg::GenericOp)> staysWindow);

} // namespace attnc
