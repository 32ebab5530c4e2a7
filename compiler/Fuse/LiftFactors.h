//===- LiftFactors.h - rewrite of sums of products of several factors to contractions -----------------------------===//
//
// In a sum over products, a row factor depends on rows i and the summed index l, a column factor on columns j and l.
// The rewrite first multiplies the factors of each side into a tensor, once for each element. The sum is then a
// contraction of two operands:
//
//   sum_l a[i, l] * s[l] * b[l, j]        →    as[i, l] = a[i, l] * s[l];    sum_l as[i, l] * b[l, j]
//   sum_l t[at[i], l] * b[l, j]           →    ta[i, l] = t[at[i], l];       sum_l ta[i, l] * b[l, j]
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/SymbolicShapes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace attnc {

/// Removes loops that have one iteration from the sums of products in `function`: reduction loops; and loops of the
/// result, except its last dimension, if two loops of the result have more iterations or a dynamic extent, so that they
/// become rows and columns. A convolution x[b, i + di, j + dj, c] * w[di, dj, c, o] over windows of one pixel thereby
/// becomes a matrix product.
void dropUnitLoops(mlir::func::FuncOp function);

/// True if `sum` is an f32 sum that starts from zeros, whose terms are products of row factors and column factors,
/// which liftFactors can rewrite to a contraction. False if `sum` is a contraction already (matchContraction).
bool isProductOfFactors(mlir::linalg::GenericOp sum);

/// Rewrites the sums of products in `function` to contractions, except those for which `staysWindow` returns true,
/// which remain sums over windows. A factor whose subscript is a sum of loop indices (a window) is copied to a tensor
/// with a dimension for each of these loops.
void liftFactors(mlir::func::FuncOp function, SymbolicShapes &shapes,
                 llvm::function_ref<bool(mlir::linalg::GenericOp)> staysWindow);

} // namespace attnc
