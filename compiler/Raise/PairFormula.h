//===- PairFormula.h - code generation of attend regions from element expressions --------------------------------===//
//
// The inverse of ElementExpr.h, for the regions of an attn.attend. Elements that depend on both a query and a key are
// expanded; other elements are read from their tensors.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Raise/ElementExpr.h"
#include <functional>

namespace attnc {

/// A condition of a mask, possibly negated.
struct Condition {
  ElementExprs::Expr expr = nullptr;
  bool isOpposite = false;
};

/// A score without its -inf arms, and the conditions that select it.
struct MaskedScore {
  ElementExprs::Expr score = nullptr;
  llvm::SmallVector<Condition> conditions;
};

/// Splits `if c then s else -inf`, and sums and positive multiples of it; any other score has no conditions. `depth` is
/// the depth of recursion.
MaskedScore splitMask(ElementExprs &exprs, ElementExprs::Expr score, unsigned depth = 0);

class PairFormulas {
public:
  using Expr = ElementExprs::Expr;
  using Sizes = std::function<llvm::SmallVector<mlir::Value>(llvm::ArrayRef<unsigned> variables)>;
  /// `sizes` returns the extents of variables as values outside of the attention.
  PairFormulas(ElementExprs &exprs, mlir::OpBuilder &builder, mlir::Location location, Sizes sizes)
      : exprs(exprs), builder(builder), location(location), sizes(std::move(sizes)) {}

  /// Sets the variables of queries and keys, before any write().
  void setPairs(llvm::ArrayRef<unsigned> queries, llvm::ArrayRef<unsigned> keys);

  /// Fills an empty region with one block, whose arguments are the indices of `variables`; `body` emits its result by
  /// the functions below.
  void write(mlir::Region &region, llvm::ArrayRef<unsigned> variables, llvm::function_ref<mlir::Value()> body);
  /// Fills the weight region with `weight`, in which an additional first argument replaces `normalised`.
  void writeWeight(mlir::Region &region, llvm::ArrayRef<unsigned> variables, Expr normalised, Expr weight);

  // Inside `write`. emitConditions returns the conjunction, an i1; it and emitProduct return null for an empty list.
  mlir::Value emit(Expr expr);
  mlir::Value emitConditions(llvm::ArrayRef<Condition> conditions);
  mlir::Value emitProduct(llvm::ArrayRef<Expr> factors);

  /// Whether an expression had no code, so that a zero replaces it: the caller must then drop the regions.
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
  llvm::DenseMap<Expr, mlir::Value> known; ///< in the current region
  bool hasFailed = false;
};

} // namespace attnc
