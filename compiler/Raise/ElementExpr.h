//===- ElementExpr.h - one element of a tensor, as a formula of elements of others ------------------------------===//
//
// Programs spell one formula with many ops. Seen from an element of the result they differ less: each linalg.generic is
// what its body says at some indices, a view is another subscript, a fill is its number. An ElementExpr is such a
// formula over index variables; an element of a tensor stays as it is until somebody asks what it is made of, so that
// the formula grows no further than it is read.
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
    Element, ///< of `tensor` at `subscripts`
    Index,   ///< `subscripts[0]`, as a number
    Outside, ///< `tensor`, a value that is the same for all elements
    Scalar,  ///< `op` of `operands`
    Reduce,  ///< `operands[0]` combined over all values of `variables`, from the neutral element
    Opaque,  ///< something at a subscript that comes from data
  };
  Kind kind = Kind::Opaque;
  mlir::Value tensor = {};
  llvm::SmallVector<mlir::AffineExpr> subscripts = {}; ///< over variables, as dimensions; they have no symbols
  mlir::Operation *op = nullptr;                       ///< the scalar op; the generic of a reduction
  llvm::SmallVector<const ElementExpr *> operands = {};
  mlir::attn::Combine combine = mlir::attn::Combine::Add;
  llvm::SmallVector<unsigned> variables = {};
};

/// Makes and keeps the formulas of one function.
class ElementExprs {
public:
  using Expr = const ElementExpr *;
  using Variables = llvm::SparseBitVector<>; ///< a few of all of a function

  /// The value that `result` number 0 of `op` yields at loop indices that are new variables: for a reduction, its term
  /// alone. Null where the op is no fold.
  struct Root {
    Expr term = nullptr;
    llvm::SmallVector<unsigned> loops; ///< the variable of each
  };
  Root root(mlir::linalg::GenericOp op);
  /// What `value` in the body of `op` is where its loops stand at `loops`; a null one is a new variable.
  Expr valueAt(mlir::linalg::GenericOp op, llvm::ArrayRef<mlir::AffineExpr> loops, mlir::Value value);

  Expr element(mlir::Value tensor, llvm::ArrayRef<mlir::AffineExpr> subscripts);
  /// What an element is made of; `expr` itself where it is not an element, or of a tensor that is nobody's formula.
  Expr expand(Expr expr);
  /// `expand` until it is no element, or nothing is known of it.
  Expr open(Expr expr);
  Expr scalar(mlir::Operation *op, llvm::ArrayRef<Expr> operands);

  /// Whether `found` holds for a formula inside, of those that are no elements.
  bool contains(Expr expr, llvm::function_ref<bool(Expr)> found);
  /// The variables that it depends on; those bound by a reduction inside are not among them.
  const Variables &uses(Expr expr);
  bool dependsOn(Expr expr, llvm::ArrayRef<unsigned> variables);
  /// The same of what elements are made of: one that is repeated along an index does not depend on it. Where that is
  /// much, true.
  bool isFunctionOf(Expr expr, llvm::ArrayRef<unsigned> variables);
  /// Whether a and b are, as far as is looked, the same formula where variable `renamed[n].first` of a stands for
  /// `renamed[n].second` of b.
  bool equal(Expr a, Expr b, llvm::ArrayRef<std::pair<unsigned, unsigned>> renamed = {});

  mlir::AffineExpr variable(unsigned number) const;
  unsigned count() const { return extentsOf.size(); }
  /// Where a variable's extent is to be had: a dimension of a tensor.
  std::pair<mlir::Value, int64_t> extentOf(unsigned variable) const { return extentsOf[variable]; }

private:
  struct Scope {
    mlir::linalg::GenericOp op;
    llvm::SmallVector<mlir::AffineExpr> loops;
    using Known = llvm::DenseMap<mlir::Value, Expr>;
    mutable Known known; ///< what values of the body are
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
  llvm::DenseMap<Expr, Variables> usesOf;
  llvm::SmallVector<std::pair<mlir::Value, int64_t>> extentsOf;
};

} // namespace attnc
