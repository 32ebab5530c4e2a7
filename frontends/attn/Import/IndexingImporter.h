//===- IndexingImporter.h - index notation as linalg.generic, attend as attn.attend -------------------------------===//
//
// Formula builds the bodies. Tensors that a body reads are computed before the op that owns the body.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Import/Formula.h"
#include "frontends/attn/Import/ImportScopes.h"

namespace attnc {

class TensorImporter;

class IndexingImporter {
public:
  IndexingImporter(mlir::OpBuilder &builder, const ImportTypes &types, ImportScopes &scopes, TensorImporter &tensors)
      : builder(builder), types(types), scopes(scopes), tensors(tensors) {}

  mlir::Value comprehension(const typed::Expr &expr);
  /// Binds the yields of an attend to `locals`.
  void attend(const typed::Expr &expr, llvm::ArrayRef<const typed::Local *> locals);

private:
  using Indices = std::vector<const typed::Index *>;

  Formula::Surroundings surroundings();
  /// Adds an empty operand with the sizes of the reduction loops that index no other operand.
  void coverLoops(llvm::ArrayRef<const typed::Index *> loops, unsigned parallel,
                  llvm::SmallVectorImpl<mlir::Value> &inputs, llvm::SmallVectorImpl<mlir::AffineMap> &maps,
                  mlir::Location at);
  void attendRegion(mlir::Region &region, typed::ExprRef body, llvm::ArrayRef<const Indices *> indices,
                    const typed::Local *weight, const Formula::Surroundings &around);
  /// The slice of `base` at index `place` of a dimension, without that dimension.
  mlir::Value step(typed::ExprRef base, unsigned dimension, typed::ExprRef place);

  mlir::OpBuilder &builder;
  const ImportTypes &types;
  ImportScopes &scopes;
  TensorImporter &tensors;
};

/// `source` with the dimension `from` moved to `to`.
mlir::Value moveDimension(mlir::OpBuilder &builder, mlir::Value source, unsigned from, unsigned to, mlir::Location at);

} // namespace attnc
