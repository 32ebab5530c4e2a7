//===- Contractions.h - reductions and matrix products as linalg.generic ------------------------------------------===//
#pragma once

#include "frontends/attn/Import/ImportScopes.h"

#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace attnc {

/// An operand of a linalg.generic, broadcast to the shape that the first loops of the op span.
struct TensorOperand {
  mlir::Value value;   ///< the tensor, without its dimensions of size 1 that are repeated
  mlir::AffineMap map; ///< from the loops to the dimensions of `value`, a projected permutation
};

/// Creates, at the insertion point, the linalg.generic of `expr`, an AxisReduction whose source has the value `source`.
/// Returns its result; for ArgMax and ArgMin, the tensor of indices.
mlir::Value importAxisReduction(mlir::OpBuilder &builder, const ImportTypes &types, ImportScopes &scopes,
                                const typed::Expr &expr, mlir::Value source);
/// Creates, at the insertion point, the linalg.generic of `expr`, a MatMul, and returns its result. `tensor` returns
/// the value of an operand of `expr`.
mlir::Value importMatMul(mlir::OpBuilder &builder, const ImportTypes &types, ImportScopes &scopes,
                         const typed::Expr &expr, llvm::function_ref<mlir::Value(typed::ExprRef)> tensor);

/// Creates the initial values of the results of a reduction, tensors of shape `shape` for the outs of a linalg.generic.
/// The first is filled with the identity of the combiner (Formula.h), of the element type `element` of the terms. For
/// ArgMax and ArgMin there is a second one of i32 zeros, for the indices.
llvm::SmallVector<mlir::Value> reductionStart(mlir::OpBuilder &builder, ImportScopes &scopes, typed::Combiner combiner,
                                              typed::Element element, const Shape &shape, mlir::Location at);
/// Ends the body of the linalg.generic of a reduction with a linalg.yield of `term` combined with `soFar`, the block
/// arguments for the tensors of reductionStart. For ArgMax and ArgMin, `loop` is the number of the loop whose index is
/// the result; of equal terms the first one counts, and a NaN never counts.
void yieldReduced(mlir::OpBuilder &builder, typed::Combiner combiner, typed::Element element, mlir::Value term,
                  mlir::ValueRange soFar, unsigned loop, mlir::Location at);

} // namespace attnc
