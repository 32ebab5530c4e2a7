//===- TensorImporter.h - tensor expressions as linalg and tensor ops ---------------------------------------------===//
//
// A tensor expression becomes a value with the shape of its type, with `?` for sizes that are not constant. A number (a
// constant, a size, arithmetic on them) is computed where it is used.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Import/Contractions.h"
#include "frontends/attn/Import/IndexingImporter.h"

namespace attnc {

/// Importer of tensor expressions, for the statements and for the bodies that read tensors.
class TensorImporter {
public:
  TensorImporter(mlir::OpBuilder &builder, const ImportTypes &types, ImportScopes &scopes)
      : builder(builder), types(types), scopes(scopes), indexing(builder, types, scopes, *this) {}

  /// Returns the value of a tensor expression. Its ops are created at its first use in a scope, before the op whose
  /// body is being built. A number becomes a tensor of rank 0.
  mlir::Value tensor(typed::ExprRef expr);
  /// True if the expression is a number: a scalar of constants, sizes and time steps, which does not depend on tensors.
  bool isNumber(typed::ExprRef expr) const;
  /// Computes the sizes in a number now, so that they are valid in the bodies of later ops.
  void computeSizes(typed::ExprRef expr);
  /// Computes a number (isNumber) at the insertion point, as a scalar, which is `index` for element type Index.
  mlir::Value number(typed::ExprRef expr);

  /// Binds the yields of an attend to `locals`.
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
};

} // namespace attnc
