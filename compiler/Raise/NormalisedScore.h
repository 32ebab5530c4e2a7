//===- NormalisedScore.h - pattern matcher of normalised scores (softmax, ratio) ----------------------------------===//
//
// The matcher finds attention weights in a formula (ElementExpr.h). It matches these forms over key indices j, where c
// is any formula without key indices, such as the row maximum:
//
//   exp(s_j - c) / sum_k exp(s_k - c)      softmax of s      (also as a product with the inverse, or without c)
//   exp(s_j - l)                           the same, where l is log(sum_k exp(s_k - c)) + c, or the same without c
//   n_j / sum_k n_k                        ratio of n        (where n is computed, by a formula with a reduction)
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Analysis/Decisions.h"
#include "compiler/Raise/ElementExpr.h"

namespace attnc {

/// A match.
struct NormalisedScore {
  mlir::attn::Normaliser normaliser = mlir::attn::Normaliser::Softmax; ///< Softmax or Ratio
  ElementExprs::Expr score = nullptr;                                  ///< s or n, without a subtracted c
  ElementExprs::Expr whole = nullptr;          ///< the matched formula; null in results of matchQuotient()
  llvm::SmallVector<mlir::Value> tensors = {}; ///< tensors whose elements were expanded on the way to `whole`
};

/// Searches the factors of one sum over keys.
class NormalisedScoreMatcher {
public:
  using Expr = ElementExprs::Expr;
  /// `keys` are the variables of the key indices. `exprs` must outlive the matcher.
  NormalisedScoreMatcher(ElementExprs &exprs, llvm::ArrayRef<unsigned> keys) : exprs(exprs), keys(keys) {}

  /// The first normalised score in the formula `expr`, outside of its reductions; null if there is none among the first
  /// 64 expressions that depend on a key. The limits of this function and of findExponential() count the calls of both
  /// on one matcher together.
  std::optional<NormalisedScore> findIn(Expr expr);
  /// Matches the formula `numerator / divisor` with the first or third form above; null if it is neither.
  std::optional<NormalisedScore> matchQuotient(Expr numerator, Expr divisor);
  /// A factor of `expr` that is an exponential and depends on a key; also one in the numerator of a quotient, or in a
  /// select whose other alternative is 0. Null if there is none among the first 128 expressions that depend on a key.
  Expr findExponential(Expr expr);

  /// After a function returned null: why the first formula that resembles a softmax is none. Null if there was none.
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
  unsigned visited = 0;
};

/// The op of `expr`, if this is a scalar op of type Op; otherwise null. An element is not expanded, here and in
/// constantValue(): callers open `expr` first.
template <typename Op> Op scalarOp(ElementExprs::Expr expr) {
  return expr->kind == ElementExpr::Kind::Scalar ? mlir::dyn_cast<Op>(expr->op) : Op();
}
/// The value of `expr`, if it is a floating-point constant; otherwise null.
std::optional<double> constantValue(ElementExprs::Expr expr);

} // namespace attnc
