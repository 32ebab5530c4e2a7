//===- PairFormula.h - formulas of elements as regions of attention ---------------------------------------------===//
//
// The way back from ElementExpr.h to operations, for the regions of an attn.attend. An element that depends on both a
// query and a key is written as what it is made of, other elements are read from their tensors.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Raise/ElementExpr.h"
#include <functional>

namespace attnc {

/// A condition of a mask, or its opposite.
struct Condition {
  ElementExprs::Expr expr = nullptr;
  bool isOpposite = false;
};

/// A score without what makes it -inf, and the conditions under which it is not.
struct MaskedScore {
  ElementExprs::Expr score = nullptr;
  llvm::SmallVector<Condition> conditions;
};

/// `if c then s else -inf`, and sums and positive multiples of it.
MaskedScore splitMask(ElementExprs &exprs, ElementExprs::Expr score, unsigned depth = 0);

class PairFormulas {
public:
  using Expr = ElementExprs::Expr;
  using Sizes = std::function<llvm::SmallVector<mlir::Value>(llvm::ArrayRef<unsigned> variables)>;
  /// `sizes` gives the extents of variables, as values outside of the attention.
  PairFormulas(ElementExprs &exprs, mlir::OpBuilder &builder, mlir::Location location, Sizes sizes)
      : exprs(exprs), builder(builder), location(location), sizes(std::move(sizes)) {}

  void setPairs(llvm::ArrayRef<unsigned> queries, llvm::ArrayRef<unsigned> keys);

  /// Fills a region whose arguments are `variables` with what `body` makes.
  void write(mlir::Region &region, llvm::ArrayRef<unsigned> variables, llvm::function_ref<mlir::Value()> body);
  /// The region of a weight, whose first argument stands for `share`.
  void writeWeight(mlir::Region &region, llvm::ArrayRef<unsigned> variables, Expr share, Expr weight);

  // Inside `write`.
  mlir::Value emit(Expr expr);
  mlir::Value emitConditions(llvm::ArrayRef<Condition> conditions);
  mlir::Value emitProduct(llvm::ArrayRef<Expr> factors);

  /// Something could not be written; then what was is not to be used.
  bool failed() const { return hasFailed; }

private:
  void bind(llvm::ArrayRef<unsigned> variables, mlir::ValueRange values);
  mlir::Value emitReduction(Expr reduction);
  mlir::Value emitElement(Expr element);
  mlir::Value emitOutside(mlir::Value value);
  mlir::Value subscript(mlir::AffineExpr expr);
  mlir::Value give(mlir::Type type);

  ElementExprs &exprs;
  mlir::OpBuilder &builder;
  mlir::Location location;
  Sizes sizes;
  llvm::SmallVector<unsigned> queries, keys;
  llvm::SmallVector<mlir::Value> indices;  ///< [variable]
  llvm::DenseMap<Expr, mlir::Value> known; ///< in the region that is written
  bool hasFailed = false;
};

} // namespace attnc
