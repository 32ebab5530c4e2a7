//===- Reshapes.h - reshapes as tensor.collapse_shape and tensor.expand_shape, which move no elements -------------===//
#pragma once

#include "frontends/attn/Import/ImportScopes.h"

#include "llvm/ADT/SmallBitVector.h"

namespace attnc {

/// Returns `source`, the value of the source of `expr`, in the shape of `expr`, a Reshape. Creates at most one
/// tensor.collapse_shape and one tensor.expand_shape, at the insertion point.
mlir::Value importReshape(mlir::OpBuilder &builder, const ImportTypes &types, ImportScopes &scopes,
                          const typed::Expr &expr, mlir::Value source);

/// Returns `value`, a tensor of shape `shape`, without the dimensions whose bits are set in `dropped`, which are all 1,
/// by a tensor.collapse_shape; `value` itself if no bit is set.
mlir::Value dropDimensions(mlir::OpBuilder &builder, const ImportTypes &types, mlir::Value value,
                           typed::Element element, const Shape &shape, const llvm::SmallBitVector &dropped,
                           mlir::Location at);

} // namespace attnc
