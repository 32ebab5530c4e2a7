//===- Share.h - a softmax or a ratio, however it is spelled ----------------------------------------------------===//
//
// Over key indices j, with c any formula that no key index is in:
//
//   exp(s_j - c) / sum_k exp(s_k - c)      softmax of s      (also as a product with the inverse, or without c)
//   exp(s_j - l)                           the same, where l is log(sum_k exp(s_k - c)) + c
//   n_j / sum_k n_k                        ratio of n        (where n is no element of a given tensor)
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/Decisions.h"
#include "compiler/Raise/ElementExpr.h"

namespace attnc {

struct Share {
  mlir::attn::Normaliser normaliser = mlir::attn::Normaliser::Softmax;
  ElementExprs::Expr score = nullptr;
  ElementExprs::Expr whole = nullptr;          ///< what is the share
  llvm::SmallVector<mlir::Value> tensors = {}; ///< those between the share and the formula that it was found in
};

class ShareMatcher {
public:
  using Expr = ElementExprs::Expr;
  /// `sameExtent` tells whether two variables run over the same range.
  ShareMatcher(ElementExprs &exprs, llvm::ArrayRef<unsigned> keys,
               llvm::function_ref<bool(unsigned, unsigned)> sameExtent)
      : exprs(exprs), keys(keys), sameExtent(sameExtent) {}

  /// The share that `expr` is a function of. Without one, `whyNot` says what kept the nearest thing from being one,
  /// if anything came near.
  std::optional<Share> findIn(Expr expr);
  /// What `numerator` divided by `divisor` is a share of.
  std::optional<Share> divided(Expr numerator, Expr divisor);
  /// An exponential of a key that `expr` is a multiple of, or null.
  Expr findExponential(Expr expr);

  std::optional<Reason> whyNot;

private:
  std::optional<Share> match(Expr expr);
  std::optional<Share> exponentialOf(Expr score, Expr logOfSum);
  Expr sumOverKeys(Expr divisor, llvm::SmallVectorImpl<std::pair<unsigned, unsigned>> &renamed);
  std::optional<Share> miss(Reason reason);
  bool isOfKeys(Expr expr) { return exprs.isFunctionOf(expr, keys); }
  Expr withoutShift(Expr score);

  ElementExprs &exprs;
  llvm::SmallVector<unsigned> keys;
  llvm::function_ref<bool(unsigned, unsigned)> sameExtent;
  unsigned visited = 0;
};

/// The op of a scalar formula, or null.
template <typename Op> Op scalarOp(ElementExprs::Expr expr) {
  return expr->kind == ElementExpr::Kind::Scalar ? mlir::dyn_cast<Op>(expr->op) : Op();
}
/// The number of a constant formula.
std::optional<double> constantOf(ElementExprs::Expr expr);

} // namespace attnc
