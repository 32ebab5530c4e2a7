//===- ElementExpr.h - symbolic expression of one tensor element, expanded lazily ---------------------------------===//
//
// Different sequences of ops may compute the same formula. An ElementExpr describes one element of a tensor, at
// symbolic indices (variables), by the scalar operations that compute it, whatever ops they are spread over: a
// linalg.generic contributes its body, a transpose permutes subscripts, a fill is a constant. An element of a tensor is
// expanded to the formula of its producer on request only, so the expressions stay small.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/SymbolicShapes.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/SparseBitVector.h"
#include <deque>
#include <map>

namespace attnc {

/// An expression. It is immutable, and belongs to the ElementExprs that created it.
struct ElementExpr {
  enum class Kind {
    Element, ///< the element of `tensor` at `subscripts`
    Index,   ///< `subscripts[0]`, as a number
    Outside, ///< `tensor`, here a scalar from outside of the formula
    Scalar,  ///< `op` applied to `operands`; a constant has no operands
    Reduce,  ///< `operands[0]` combined over all values of `variables`, from the identity of `combine`
    Opaque,  ///< unknown, such as a read at a subscript from data; has no free variables and equals no expression
  };
  Kind kind = Kind::Opaque;
  mlir::Value tensor = {};
  llvm::SmallVector<mlir::AffineExpr> subscripts = {}; ///< over variables, as dimensions; they have no symbols
  mlir::Operation *op = nullptr;                       ///< the scalar op; the generic of a reduction
  llvm::SmallVector<const ElementExpr *> operands = {};
  mlir::attn::Combine combine = mlir::attn::Combine::Add;
  llvm::SmallVector<unsigned> variables = {};
};

/// Creates and owns the expressions of one function. The ops that they refer to must not be erased meanwhile. Variables
/// are numbered from 0; each stands for the index of one loop and has the loop's range.
class ElementExprs {
public:
  using Expr = const ElementExpr *;
  using Variables = llvm::SparseBitVector<>; ///< sparse: few of the function's variables
  /// `shapes` are those of the function; it must outlive this object.
  explicit ElementExprs(SymbolicShapes &shapes) : shapes(shapes) {}

  /// The result of root().
  struct Root {
    Expr term = nullptr;               ///< null if `op` is a reduction that matchFold (Analysis/Fold.h) rejects
    llvm::SmallVector<unsigned> loops; ///< the variable of each loop
  };
  /// The value that `op` yields for result 0, where each loop index is a new variable. For a reduction, the term that
  /// it combines.
  Root root(mlir::linalg::GenericOp op);
  /// The expression of `value`, a value in the body of `op`, at the loop indices `loops`, expressions over variables; a
  /// null index is replaced by a new variable.
  Expr valueAt(mlir::linalg::GenericOp op, llvm::ArrayRef<mlir::AffineExpr> loops, mlir::Value value);

  /// The element of `tensor` at `subscripts`; equal arguments give the same expression.
  Expr element(mlir::Value tensor, llvm::ArrayRef<mlir::AffineExpr> subscripts);
  /// The formula by which the op that produces an element computes it. `expr` itself if it is no element, or if the
  /// producer has no such formula.
  Expr expand(Expr expr);
  /// Applies expand() until the result is no element, or has no formula.
  Expr open(Expr expr);
  /// `op` applied to `operands`.
  Expr scalar(mlir::Operation *op, llvm::ArrayRef<Expr> operands);

  /// True if `found` is true for `expr` or a subexpression, all of them opened.
  bool contains(Expr expr, llvm::function_ref<bool(Expr)> found);
  /// The free variables of an expression; a reduction binds its `variables`. The reference is valid until the next
  /// call of this object.
  const Variables &uses(Expr expr);
  /// True if one of `variables` is free in `expr`, without expansion of elements.
  bool dependsOn(Expr expr, llvm::ArrayRef<unsigned> variables);
  /// The same with elements expanded: an element that is broadcast along an index does not depend on it. Also true if
  /// the expansion exceeds a bound.
  bool isFunctionOf(Expr expr, llvm::ArrayRef<unsigned> variables);
  /// True if a and b are the same formula, with reductions over the same ranges, after variable `renamed[n].first` of a
  /// is renamed to `renamed[n].second` of b, for all n; the ranges of renamed variables are not compared. False if they
  /// differ, or if the comparison exceeds a bound.
  bool equal(Expr a, Expr b, llvm::ArrayRef<std::pair<unsigned, unsigned>> renamed = {});

  /// Variable `number` as an affine expression: the dimension of that number.
  mlir::AffineExpr variable(unsigned number) const;
  unsigned count() const { return extents.size(); } ///< number of variables so far
  /// A tensor and one of its dimensions, whose extent is the number of values of a variable.
  std::pair<mlir::Value, int64_t> extent(unsigned variable) const { return extents[variable]; }
  /// True if the two variables are known to have the same range.
  bool sameExtent(unsigned a, unsigned b) const;

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

  SymbolicShapes &shapes;
  std::deque<ElementExpr> all;
  std::map<std::pair<const void *, std::vector<const void *>>, Expr> elements;
  llvm::DenseMap<Expr, Expr> expansions;
  llvm::DenseMap<Expr, Variables> usesCache;
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> extents;
};

} // namespace attnc
