//===- Reshapes.h - reshapes as tensor.collapse_shape and tensor.expand_shape, which move no elements -------------===//
#pragma once

#include "frontends/attn/Import/ImportScopes.h"

#include "llvm/ADT/SmallBitVector.h"

namespace attnc {

/// Returns `source` in the shape of `expr`, a Reshape.
mlir::Value importReshape(mlir::OpBuilder &builder, const ImportTypes &types, ImportScopes &scopes,
                          const typed::Expr &expr, mlir::Value source);

/// Returns `value`, of the given shape, without the `dropped` dimensions, which are 1.
mlir::Value dropDimensions(mlir::OpBuilder &builder, const ImportTypes &types, mlir::Value value,
                           typed::Element element, const Shape &shape, const llvm::SmallBitVector &dropped,
                           mlir::Location at);

} // namespace attnc
