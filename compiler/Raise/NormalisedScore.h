//===- NormalisedScore.h - pattern matcher of normalised scores (softmax, ratio) ----------------------------------===//
//
// Over key indices j, with c any formula without key indices:
//
//   exp(s_j - c) / sum_k exp(s_k - c)      softmax of s      (also as a product with the inverse, or without c)
//   exp(s_j - l)                           the same, where l is log(sum_k exp(s_k - c)) + c
//   n_j / sum_k n_k                        ratio of n        (where n is computed, and a reduction takes part in it)
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/Decisions.h"
#include "compiler/Raise/ElementExpr.h"

namespace attnc {

struct NormalisedScore {
  mlir::attn::Normaliser normaliser = mlir::attn::Normaliser::Softmax;
  ElementExprs::Expr score = nullptr;          ///< s or n, without a subtracted c
  ElementExprs::Expr whole = nullptr;          ///< the matched formula; null if matchQuotient has matched it
  llvm::SmallVector<mlir::Value> tensors = {}; ///< tensors that were expanded from the searched formula to `whole`
};

class NormalisedScoreMatcher {
public:
  using Expr = ElementExprs::Expr;
  /// `keys` are the variables of the key indices. `sameExtent` returns whether two variables have the same range; it
  /// and `exprs` must outlive the matcher.
  NormalisedScoreMatcher(ElementExprs &exprs, llvm::ArrayRef<unsigned> keys,
               llvm::function_ref<bool(unsigned, unsigned)> sameExtent)
      : exprs(exprs), keys(keys), sameExtent(sameExtent) {}

  /// The normalised score that `expr` is a function of; null if there is none in the first ops of the formula. Then
  /// `reasonAgainst` is the reason against the first candidate, or null without a candidate.
  std::optional<NormalisedScore> findIn(Expr expr);
  /// Matches `numerator / divisor`.
  std::optional<NormalisedScore> matchQuotient(Expr numerator, Expr divisor);
  /// A factor of `expr` that is an exponential and depends on a key, or null.
  Expr findExponential(Expr expr);

  std::optional<Reason> reasonAgainst;

private:
  std::optional<NormalisedScore> match(Expr expr);
  std::optional<NormalisedScore> matchExponential(Expr score, Expr logSum);
  Expr sumOverKeys(Expr divisor, llvm::SmallVectorImpl<std::pair<unsigned, unsigned>> &renamed);
  std::optional<NormalisedScore> miss(Reason reason);
  bool dependsOnKeys(Expr expr) { return exprs.isFunctionOf(expr, keys); }
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
/// The value of a constant formula; null for other formulas.
std::optional<double> constantValue(ElementExprs::Expr expr);

} // namespace attnc
