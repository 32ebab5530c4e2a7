//===- Contractions.h - reductions and matrix products as linalg.generic ------------------------------------------===//
#pragma once

#include "frontends/attn/Import/ImportScopes.h"

#include "mlir/IR/AffineMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace attnc {

/// An operand of a generic whose loops begin with the dimensions of a shape, to which it is broadcast.
struct TensorOperand {
  mlir::Value value;
  mlir::AffineMap map;
};

/// A reduction of `source` along axes.
mlir::Value importAxisReduction(mlir::OpBuilder &builder, const ImportTypes &types, ImportScopes &scopes,
                                const typed::Expr &expr, mlir::Value source);
/// A matrix product; `tensor` computes an operand.
mlir::Value importMatMul(mlir::OpBuilder &builder, const ImportTypes &types, ImportScopes &scopes,
                         const typed::Expr &expr, llvm::function_ref<mlir::Value(typed::ExprRef)> tensor);

/// The identity of a combiner, as a tensor that a reduction starts from; ArgMax and ArgMin have two.
llvm::SmallVector<mlir::Value> reductionStart(mlir::OpBuilder &builder, ImportScopes &scopes, typed::Combiner combiner,
                                              typed::Element element, const Shape &shape, mlir::Location at);
/// Ends the body of a reduction: combines `soFar` with `term`, whose index is that of `loop`.
void yieldReduced(mlir::OpBuilder &builder, typed::Combiner combiner, typed::Element element, mlir::Value term,
                  mlir::ValueRange soFar, unsigned loop, mlir::Location at);

} // namespace attnc
