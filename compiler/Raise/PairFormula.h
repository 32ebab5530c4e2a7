//===- PairFormula.h - code generation of attend regions from element expressions ---------------------------------===//
//
// PairFormulas emits expressions (ElementExpr.h) as ops in the regions of an attn.attend, which are evaluated for each
// query–key pair. An element that depends on both a query and a key is expanded to its formula, and an element that is
// constant is emitted as a constant; any other element is read from its tensor.
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

/// A score where it is not -inf, and the mask: the conditions under which it is not -inf, all of which must hold.
struct MaskedScore {
  ElementExprs::Expr score = nullptr;
  llvm::SmallVector<Condition> conditions;
};

/// Splits a score of the form `if c then s else -inf` into s and the condition c (or its opposite, with exchanged
/// alternatives), also within sums, minuends, and products and quotients with positive constants, up to 8 ops deep. For
/// any other score there are no conditions, and the result is an equal score: expanded, or without an added 0. `depth`
/// is the depth of the recursion, 0 in other calls.
MaskedScore splitMask(ElementExprs &exprs, ElementExprs::Expr score, unsigned depth = 0);

/// The writer of the regions of one attn.attend.
class PairFormulas {
public:
  using Expr = ElementExprs::Expr;
  using Sizes = std::function<llvm::SmallVector<mlir::Value>(llvm::ArrayRef<unsigned> variables)>;
  /// `sizes` returns the extents of variables as `index` values outside of the attend. `exprs` and `builder` must
  /// outlive this object.
  PairFormulas(ElementExprs &exprs, mlir::OpBuilder &builder, mlir::Location location, Sizes sizes)
      : exprs(exprs), builder(builder), location(location), sizes(std::move(sizes)) {}

  /// Sets the variables of the query and key indices. Must be called before any write().
  void setPairs(llvm::ArrayRef<unsigned> queries, llvm::ArrayRef<unsigned> keys);

  /// Adds a block to the empty `region`, whose arguments are the indices of `variables`. `body` emits the value that
  /// the block yields, by the functions below.
  void write(mlir::Region &region, llvm::ArrayRef<unsigned> variables, llvm::function_ref<mlir::Value()> body);
  /// Like write() for the weight region: the block yields `weight`, in which an additional first argument, the
  /// attention weight, replaces the subexpression `normalised` (NormalisedScore::whole).
  void writeWeight(mlir::Region &region, llvm::ArrayRef<unsigned> variables, Expr normalised, Expr weight);

  // The `body` of write() calls these functions. They emit ops at the builder.
  /// The value of `expr`.
  mlir::Value emit(Expr expr);
  /// The conjunction of the conditions, an i1; null for an empty list.
  mlir::Value emitConditions(llvm::ArrayRef<Condition> conditions);
  /// The product of the factors; null for an empty list.
  mlir::Value emitProduct(llvm::ArrayRef<Expr> factors);

  /// True if an expression could not be emitted; a zero stands for it. The caller must then erase the attend.
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
