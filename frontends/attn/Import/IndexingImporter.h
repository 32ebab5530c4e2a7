//===- IndexingImporter.h - index notation as linalg.generic, attend as attn.attend -------------------------------===//
//
// A comprehension [i, j] => body becomes a linalg.generic with a parallel loop for each index; a reduction that is its
// body adds reduction loops. Formula builds the bodies. Tensors that a body reads are computed before the op that owns
// the body.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Import/Formula.h"
#include "frontends/attn/Import/ImportScopes.h"

namespace attnc {

class TensorImporter;

/// Importer of comprehensions, with the reductions that are their bodies, and of attends. TensorImporter owns it; the
/// two call each other.
class IndexingImporter {
public:
  IndexingImporter(mlir::OpBuilder &builder, const ImportTypes &types, ImportScopes &scopes, TensorImporter &tensors)
      : builder(builder), types(types), scopes(scopes), tensors(tensors) {}

  /// Creates the linalg.generic of a Comprehension and returns its result. For a slice of a tensor at the time step of
  /// a scan, [b, d] => x[b, t, d], creates a model.element instead, of the tensor with the time steps as leading
  /// dimension.
  mlir::Value comprehension(const typed::Expr &expr);
  /// Creates the attn.attend of an Attend and binds `locals` to its results, one for each yield, in order. The location
  /// of the op has the name of the attention (dialects/Attn/AttentionName.h).
  void attend(const typed::Expr &expr, llvm::ArrayRef<const typed::Local *> locals);

private:
  using Indices = std::vector<const typed::Index *>;

  Formula::Surroundings surroundings();
  /// Adds an empty operand with the sizes of the reduction loops that index no other operand, because a linalg.generic
  /// takes the sizes of its loops from operands. The first `parallel` loops index the result.
  void coverLoops(llvm::ArrayRef<const typed::Index *> loops, unsigned parallel,
                  llvm::SmallVectorImpl<mlir::Value> &inputs, llvm::SmallVectorImpl<mlir::AffineMap> &maps,
                  mlir::Location at);
  /// Builds a region with the element `body`, whose arguments are `weight`, unless it is null, and the indices. Leaves
  /// the region empty if `body` is null.
  void attendRegion(mlir::Region &region, typed::ExprRef body, llvm::ArrayRef<const Indices *> indices,
                    const typed::Local *weight, const Formula::Surroundings &around);
  /// Returns the slice of `base` at the index `place` of a dimension, without that dimension; isStepNumber(place).
  mlir::Value step(typed::ExprRef base, unsigned dimension, typed::ExprRef place);

  mlir::OpBuilder &builder;
  const ImportTypes &types;
  ImportScopes &scopes;
  TensorImporter &tensors;
};

/// Returns `source` with the dimension `from` moved to the position `to`, by a linalg.transpose; `source` itself if the
/// two are equal.
mlir::Value moveDimension(mlir::OpBuilder &builder, mlir::Value source, unsigned from, unsigned to, mlir::Location at);

} // namespace attnc
