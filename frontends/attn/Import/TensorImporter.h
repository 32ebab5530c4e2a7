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

class TensorImporter {
public:
  TensorImporter(mlir::OpBuilder &builder, const ImportTypes &types, ImportScopes &scopes)
      : builder(builder), types(types), scopes(scopes), indexing(builder, types, scopes, *this) {}

  /// The value of a tensor expression, computed before the op whose body is being built.
  mlir::Value tensor(typed::ExprRef expr);
  /// True if the expression is a number that does not depend on tensors.
  bool isNumber(typed::ExprRef expr) const;
  /// Computes the sizes in a number at the insertion point, for use in bodies after it.
  void computeSizes(typed::ExprRef expr);
  /// The scalar of a number, at the insertion point.
  mlir::Value number(typed::ExprRef expr);

  /// Binds the yields of an attend to `locals`.
  void attend(const typed::Expr &expr, llvm::ArrayRef<const typed::Local *> locals) { indexing.attend(expr, locals); }

private:
  mlir::Value compute(typed::ExprRef expr);
  mlir::Value parameterValue(const typed::Expr &expr);
  mlir::Value pointwise(const typed::Expr &expr);
  mlir::Value permute(const typed::Expr &expr);
  mlir::Value slice(const typed::Expr &expr);
  mlir::Value concat(const typed::Expr &expr);
  mlir::Value fill(const typed::Expr &expr);
  TensorOperand broadcast(typed::ExprRef expr, const Shape &shape, unsigned loops);

  mlir::OpBuilder &builder;
  const ImportTypes &types;
  ImportScopes &scopes;
  IndexingImporter indexing;
};

} // namespace attnc
