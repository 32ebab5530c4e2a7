//===- ElementExpr.h - symbolic expression of one tensor element, expanded lazily --------------------------------===//
//
// Different ops spell the same formula. As expressions of one element of the result they differ less: a linalg.generic
// is its body at some indices, a view is another subscript, a fill is its number. An ElementExpr is such an expression
// over index variables. An element of a tensor is expanded to the formula of its producer on request, so expressions
// grow no further than they are read.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/SparseBitVector.h"
#include <deque>
#include <map>

namespace attnc {

struct ElementExpr {
  enum class Kind {
    Element, ///< the element of `tensor` at `subscripts`
    Index,   ///< `subscripts[0]`, as a number
    Outside, ///< `tensor`, a scalar from outside of the formula
    Scalar,  ///< `op` applied to `operands`
    Reduce,  ///< `operands[0]` combined over all values of `variables`, from the neutral element
    Opaque,  ///< unknown: a read at a subscript from data
  };
  Kind kind = Kind::Opaque;
  mlir::Value tensor = {};
  llvm::SmallVector<mlir::AffineExpr> subscripts = {}; ///< over variables, as dimensions; they have no symbols
  mlir::Operation *op = nullptr;                       ///< the scalar op; the generic of a reduction
  llvm::SmallVector<const ElementExpr *> operands = {};
  mlir::attn::Combine combine = mlir::attn::Combine::Add;
  llvm::SmallVector<unsigned> variables = {};
};

/// Creates and owns the expressions of one function.
class ElementExprs {
public:
  using Expr = const ElementExpr *;
  using Variables = llvm::SparseBitVector<>; ///< sparse: few of the function's variables

  /// The value that `op` yields for result 0 at loop indices that are new variables; for a reduction, its term. Null if
  /// matchFold rejects the op.
  struct Root {
    Expr term = nullptr;
    llvm::SmallVector<unsigned> loops; ///< the variable of each loop
  };
  Root root(mlir::linalg::GenericOp op);
  /// The expression of `value` in the body of `op` at the loop indices `loops`; a null index is a new variable.
  Expr valueAt(mlir::linalg::GenericOp op, llvm::ArrayRef<mlir::AffineExpr> loops, mlir::Value value);

  Expr element(mlir::Value tensor, llvm::ArrayRef<mlir::AffineExpr> subscripts);
  /// The formula of an element's producer, one op deep; `expr` itself if it is no element, or if the producer has no
  /// formula.
  Expr expand(Expr expr);
  /// Expands `expr` until it is no element, or has no formula.
  Expr open(Expr expr);
  Expr scalar(mlir::Operation *op, llvm::ArrayRef<Expr> operands);

  /// Whether `found` holds for `expr` or a subexpression, with elements expanded as far as possible.
  bool contains(Expr expr, llvm::function_ref<bool(Expr)> found);
  /// The free variables of an expression; reductions bind theirs.
  const Variables &uses(Expr expr);
  /// Whether one of `variables` is free in `expr`; elements are not expanded.
  bool dependsOn(Expr expr, llvm::ArrayRef<unsigned> variables);
  /// The same with elements expanded: an element that is broadcast along an index does not depend on it. True if the
  /// expansion exceeds a bound.
  bool isFunctionOf(Expr expr, llvm::ArrayRef<unsigned> variables);
  /// Whether a and b are the same formula after renaming variable `renamed[n].first` of a to `renamed[n].second` of b;
  /// false if the comparison exceeds a bound.
  bool equal(Expr a, Expr b, llvm::ArrayRef<std::pair<unsigned, unsigned>> renamed = {});

  mlir::AffineExpr variable(unsigned number) const;
  unsigned count() const { return extents.size(); }
  /// A tensor and the number of its dimension that has the extent of a variable.
  std::pair<mlir::Value, int64_t> extent(unsigned variable) const { return extents[variable]; }

private:
  struct Scope {
    mlir::linalg::GenericOp op;
    llvm::SmallVector<mlir::AffineExpr> loops;
    using Known = llvm::DenseMap<mlir::Value, Expr>;
    mutable Known known; ///< expressions of values of the body
  };
  bool equalWithin(Expr a, Expr b, llvm::ArrayRef<std::pair<unsigned, unsigned>> renamed, unsigned &left);
  Expr read(const Scope &scope, mlir::Value value);
  Expr make(ElementExpr expr);
  Expr valueIn(const Scope &scope, mlir::Value value);
  std::optional<mlir::AffineExpr> indexIn(const Scope &scope, mlir::Value value);
  Expr produced(mlir::linalg::GenericOp op, unsigned result, llvm::ArrayRef<mlir::AffineExpr> subscripts);
  unsigned addVariable(mlir::linalg::GenericOp op, unsigned loop);

  std::deque<ElementExpr> all;
  std::map<std::pair<const void *, std::vector<const void *>>, Expr> elements;
  llvm::DenseMap<Expr, Expr> expansions;
  llvm::DenseMap<Expr, Variables> usesCache;
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> extents;
};

} // namespace attnc
