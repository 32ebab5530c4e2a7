//===- TensorImporter.h - tensor expressions as linalg and tensor ops ---------------------------------------------===//
//
// A tensor expression becomes a value with the shape of its type, with `?` for sizes that are not constant. Numbers
// (isNumber), such as a size or its square root, are scalars, not tensors: an op that uses one computes it in its body.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Import/Contractions.h"
#include "frontends/attn/Import/IndexingImporter.h"

namespace attnc {

/// Importer of tensor expressions, for statements and for bodies of ops that read tensors.
class TensorImporter {
public:
  TensorImporter(mlir::OpBuilder &builder, const ImportTypes &types, ImportScopes &scopes)
      : builder(builder), types(types), scopes(scopes), indexing(builder, types, scopes, *this) {}

  /// Returns the value of a tensor expression, which is no Attend. If no open scope has it (ImportScopes), creates its
  /// ops, outside of the body that is being built. A number becomes a tensor of rank 0.
  mlir::Value tensor(typed::ExprRef expr);
  /// True if the expression is a number: a scalar of constants, sizes and time steps, which does not depend on tensors.
  bool isNumber(typed::ExprRef expr) const;
  /// Computes the sizes in a number at the insertion point, so that they are valid in bodies of later ops. Requires
  /// isNumber(expr).
  void computeSizes(typed::ExprRef expr);
  /// Computes a number at the insertion point and returns it as a scalar, of type `index` for element type Index.
  /// Requires isNumber(expr).
  mlir::Value number(typed::ExprRef expr);

  /// Creates the attn.attend of an Attend and binds `locals` to its results, one for each yield.
  void attend(const typed::Expr &expr, llvm::ArrayRef<const typed::Local *> locals) { indexing.attend(expr, locals); }

private:
  /// Creates the ops of an expression.
  mlir::Value compute(typed::ExprRef expr);
  mlir::Value parameterValue(const typed::Expr &expr);
  mlir::Value pointwise(const typed::Expr &expr);
  mlir::Value permute(const typed::Expr &expr);
  mlir::Value slice(const typed::Expr &expr);
  mlir::Value concat(const typed::Expr &expr);
  mlir::Value fill(const typed::Expr &expr);
  /// Returns an expression as an operand of a linalg.generic of `loops` loops, the first of which are the dimensions of
  /// `shape`.
  TensorOperand broadcast(typed::ExprRef expr, const Shape &shape, unsigned loops);

  mlir::OpBuilder &builder;
  const ImportTypes &types;
  ImportScopes &scopes;
  IndexingImporter indexing;
  int32_t variables = 0; ///< number of Variables so far
};

} // namespace attnc
