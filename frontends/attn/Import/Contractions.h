//===- Contractions.h - reductions and matrix products as linalg.generic ------------------------------------------===//
#pragma once

#include "frontends/attn/Import/ImportScopes.h"

#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace attnc {

/// An operand of a linalg.generic whose first loops are the dimensions of a shape, to which the operand is broadcast.
struct TensorOperand {
  mlir::Value value;   ///< without its dimensions of 1 that are repeated
  mlir::AffineMap map; ///< from the loops to the dimensions of `value`, a projected permutation
};

/// Creates the linalg.generic of `expr`, an AxisReduction, whose operand has the value `source`.
mlir::Value importAxisReduction(mlir::OpBuilder &builder, const ImportTypes &types, ImportScopes &scopes,
                                const typed::Expr &expr, mlir::Value source);
/// Creates the linalg.generic of `expr`, a MatMul; `tensor` returns the value of an operand.
mlir::Value importMatMul(mlir::OpBuilder &builder, const ImportTypes &types, ImportScopes &scopes,
                         const typed::Expr &expr, llvm::function_ref<mlir::Value(typed::ExprRef)> tensor);

/// Creates the tensors, of the given shape, that a reduction to that shape starts from: the combiner's identity; for
/// ArgMax and ArgMin also a tensor of i32 zeros, for the indices. `element` is the element type of the terms.
llvm::SmallVector<mlir::Value> reductionStart(mlir::OpBuilder &builder, ImportScopes &scopes, typed::Combiner combiner,
                                              typed::Element element, const Shape &shape, mlir::Location at);
/// Ends the body of a reduction with a linalg.yield of `soFar`, the block arguments of the tensors of reductionStart,
/// combined with `term`. For ArgMax and ArgMin, `loop` is the number of the loop whose index is the result.
void yieldReduced(mlir::OpBuilder &builder, typed::Combiner combiner, typed::Element element, mlir::Value term,
                  mlir::ValueRange soFar, unsigned loop, mlir::Location at);

} // namespace attnc
