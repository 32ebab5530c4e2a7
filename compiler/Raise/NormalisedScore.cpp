#include "compiler/Raise/NormalisedScore.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attnc {

using Expr = ElementExprs::Expr;
using Kind = ElementExpr::Kind;

/// Bound of searched formulas. Attention has few ops between the normalised score and the sum.
static constexpr unsigned mostVisited = 64;

std::optional<double> constantValue(Expr expr) {
  auto constant = scalarOp<arith::ConstantOp>(expr);
  auto number = constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
  return number ? std::optional(number.getValueAsDouble()) : std::nullopt;
}

std::optional<NormalisedScore> NormalisedScoreMatcher::miss(Reason reason) {
  if (!reasonAgainst)
    reasonAgainst = reason;
  return std::nullopt;
}

/// A shift of the score that is the same for all keys does not change the softmax.
Expr NormalisedScoreMatcher::withoutShift(Expr score) {
  Expr whole = exprs.open(score);
  if (scalarOp<arith::SubFOp>(whole) && !dependsOnKeys(whole->operands[1]) && dependsOnKeys(whole->operands[0]))
    return withoutShift(whole->operands[0]);
  return score;
}

/// The term of a sum over as many indices as there are keys, with the extents of the keys; null for other formulas.
Expr NormalisedScoreMatcher::sumOverKeys(Expr divisor, SmallVectorImpl<std::pair<unsigned, unsigned>> &renamed) {
  Expr sum = exprs.open(divisor);
  if (sum->kind != Kind::Reduce || sum->combine != attn::Combine::Add || sum->variables.size() != keys.size())
    return nullptr;
  for (auto [variable, key] : llvm::zip_equal(sum->variables, keys)) {
    if (!exprs.sameExtent(variable, key))
      return nullptr;
    renamed.push_back({variable, key});
  }
  return sum->operands[0];
}

std::optional<NormalisedScore> NormalisedScoreMatcher::matchQuotient(Expr numerator, Expr divisor) {
  Expr above = exprs.open(numerator);
  bool isExponential = bool(scalarOp<math::ExpOp>(above));
  bool isComputed = above->kind == Kind::Scalar && dependsOnKeys(above);
  if (!isComputed)
    return std::nullopt;
  auto missed = [&](Reason reason) { return isExponential ? miss(reason) : std::nullopt; };
  if (dependsOnKeys(divisor))
    return missed(Reason::SumOfOthers);
  Expr below = exprs.open(divisor);
  if (below->kind != Kind::Reduce)
    return missed(constantValue(below) ? Reason::NotNormalised : Reason::SumChanged);
  SmallVector<std::pair<unsigned, unsigned>> renamed;
  Expr term = sumOverKeys(below, renamed);
  if (!term)
    return missed(Reason::SumOfOthers);
  // The subtracted maximum may be computed twice, as two formulas that are the same for all keys.
  if (exprs.equal(term, above, renamed)) {
    if (isExponential)
      return NormalisedScore{attn::Normaliser::Softmax, withoutShift(above->operands[0]), nullptr};
    bool hasSum = exprs.contains(above, [](Expr part) { return part->kind == Kind::Reduce; });
    return hasSum ? std::optional(NormalisedScore{attn::Normaliser::Ratio, above, nullptr}) : std::nullopt;
  }
  return missed(Reason::SumOfOthers);
}

/// exp(score - log(sum exp(score - c)) - c)
std::optional<NormalisedScore> NormalisedScoreMatcher::matchExponential(Expr score, Expr logSum) {
  Expr total = exprs.open(logSum), shift = nullptr;
  if (scalarOp<arith::AddFOp>(total))
    for (unsigned side : {0u, 1u})
      if (Expr log = exprs.open(total->operands[side]); scalarOp<math::LogOp>(log)) {
        shift = total->operands[1 - side];
        total = log;
        break;
      }
  if (!scalarOp<math::LogOp>(total))
    return std::nullopt;
  SmallVector<std::pair<unsigned, unsigned>> renamed;
  Expr term = sumOverKeys(total->operands[0], renamed);
  if (!term)
    return miss(Reason::SumOfOthers);
  term = exprs.open(term);
  if (!scalarOp<math::ExpOp>(term))
    return miss(Reason::SumOfOthers);
  Expr inner = term->operands[0];
  if (shift) {
    inner = exprs.open(inner);
    if (!scalarOp<arith::SubFOp>(inner) || !exprs.equal(inner->operands[1], shift, renamed))
      return miss(Reason::SumOfOthers);
    inner = inner->operands[0];
  }
  if (!exprs.equal(inner, score, renamed))
    return miss(Reason::SumOfOthers);
  return NormalisedScore{attn::Normaliser::Softmax, withoutShift(score), nullptr};
}

/// Matches `expr` itself.
std::optional<NormalisedScore> NormalisedScoreMatcher::match(Expr expr) {
  if (scalarOp<arith::DivFOp>(expr))
    return matchQuotient(expr->operands[0], expr->operands[1]);
  if (scalarOp<arith::MulFOp>(expr))
    for (unsigned side : {0u, 1u}) {
      Expr inverse = exprs.open(expr->operands[1 - side]);
      if (scalarOp<arith::DivFOp>(inverse) && constantValue(exprs.open(inverse->operands[0])) == 1.0)
        return matchQuotient(expr->operands[side], inverse->operands[1]);
    }
  if (scalarOp<math::ExpOp>(expr)) {
    Expr exponent = exprs.open(expr->operands[0]);
    if (scalarOp<arith::SubFOp>(exponent) && !dependsOnKeys(exponent->operands[1]))
      return matchExponential(exponent->operands[0], exponent->operands[1]);
  }
  return std::nullopt;
}

std::optional<NormalisedScore> NormalisedScoreMatcher::findIn(Expr expr) {
  if (!dependsOnKeys(expr) || ++visited > mostVisited)
    return std::nullopt;
  Expr whole = exprs.open(expr);
  if (whole->kind != Kind::Scalar)
    return std::nullopt;
  std::optional<NormalisedScore> normalised = match(whole);
  if (normalised)
    normalised->whole = whole;
  for (size_t number = 0; !normalised && number < whole->operands.size(); ++number)
    normalised = findIn(whole->operands[number]);
  for (Expr part = expr; normalised && part->kind == Kind::Element && part != whole; part = exprs.expand(part))
    normalised->tensors.push_back(part->tensor);
  return normalised;
}

Expr NormalisedScoreMatcher::findExponential(Expr expr) {
  if (!dependsOnKeys(expr) || ++visited > 2 * mostVisited)
    return nullptr;
  Expr whole = exprs.open(expr);
  if (whole->kind != Kind::Scalar)
    return nullptr;
  if (scalarOp<math::ExpOp>(whole))
    return whole;
  if (scalarOp<arith::DivFOp>(whole))
    return findExponential(whole->operands[0]);
  if (scalarOp<arith::SelectOp>(whole))
    for (unsigned side : {1u, 2u})
      if (constantValue(exprs.open(whole->operands[3 - side])) == 0.0)
        return findExponential(whole->operands[side]);
  if (scalarOp<arith::MulFOp>(whole))
    for (Expr operand : whole->operands)
      if (Expr found = findExponential(operand))
        return found;
  return nullptr;
}

} // namespace attnc
