#include "compiler/Raise/Share.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attnc {

using Expr = ElementExprs::Expr;
using Kind = ElementExpr::Kind;

/// Formulas that are searched for a share. Those of attention have a few ops between the share and the sum.
static constexpr unsigned mostVisited = 64;

std::optional<double> constantOf(Expr expr) {
  auto constant = scalarOp<arith::ConstantOp>(expr);
  auto number = constant ? dyn_cast<FloatAttr>(constant.getValue()) : FloatAttr();
  return number ? std::optional(number.getValueAsDouble()) : std::nullopt;
}

std::optional<Share> ShareMatcher::miss(Reason reason) {
  if (!whyNot)
    whyNot = reason;
  return std::nullopt;
}

/// s - c is as good a score as s, where c is the same for all keys.
Expr ShareMatcher::withoutShift(Expr score) {
  Expr whole = exprs.open(score);
  if (scalarOp<arith::SubFOp>(whole) && !isOfKeys(whole->operands[1]) && isOfKeys(whole->operands[0]))
    return withoutShift(whole->operands[0]);
  return score;
}

/// The term of a sum over as many indices as there are keys, each of a key's extent; null where it is none.
Expr ShareMatcher::sumOverKeys(Expr divisor, SmallVectorImpl<std::pair<unsigned, unsigned>> &renamed) {
  Expr sum = exprs.open(divisor);
  if (sum->kind != Kind::Reduce || sum->combine != attn::Combine::Add || sum->variables.size() != keys.size())
    return nullptr;
  for (auto [variable, key] : llvm::zip_equal(sum->variables, keys)) {
    if (!sameExtent(variable, key))
      return nullptr;
    renamed.push_back({variable, key});
  }
  return sum->operands[0];
}

std::optional<Share> ShareMatcher::divided(Expr numerator, Expr divisor) {
  Expr above = exprs.open(numerator);
  bool isExponential = bool(scalarOp<math::ExpOp>(above));
  bool isComputed = above->kind == Kind::Scalar && isOfKeys(above);
  if (!isComputed)
    return std::nullopt;
  auto missed = [&](Reason reason) { return isExponential ? miss(reason) : std::nullopt; };
  if (isOfKeys(divisor))
    return missed(Reason::SumOfOthers);
  Expr below = exprs.open(divisor);
  if (below->kind != Kind::Reduce)
    return missed(constantOf(below) ? Reason::NotNormalised : Reason::SumChanged);
  SmallVector<std::pair<unsigned, unsigned>> renamed;
  Expr term = sumOverKeys(below, renamed);
  if (!term)
    return missed(Reason::SumOfOthers);
  // A maximum that is subtracted may be spelled twice: then it is another formula, but the same for all keys.
  if (exprs.equal(term, above, renamed)) {
    if (isExponential)
      return Share{attn::Normaliser::Softmax, withoutShift(above->operands[0]), nullptr};
    bool hasSum = exprs.contains(above, [](Expr part) { return part->kind == Kind::Reduce; });
    return hasSum ? std::optional(Share{attn::Normaliser::Ratio, above, nullptr}) : std::nullopt;
  }
  return missed(Reason::SumOfOthers);
}

/// exp(score - log(sum exp(score - c)) - c)
std::optional<Share> ShareMatcher::exponentialOf(Expr score, Expr logOfSum) {
  Expr total = exprs.open(logOfSum), shift = nullptr;
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
  return Share{attn::Normaliser::Softmax, withoutShift(score), nullptr};
}

/// The share that `expr` itself is.
std::optional<Share> ShareMatcher::match(Expr expr) {
  if (scalarOp<arith::DivFOp>(expr))
    return divided(expr->operands[0], expr->operands[1]);
  if (scalarOp<arith::MulFOp>(expr))
    for (unsigned side : {0u, 1u}) {
      Expr inverse = exprs.open(expr->operands[1 - side]);
      if (scalarOp<arith::DivFOp>(inverse) && constantOf(exprs.open(inverse->operands[0])) == 1.0)
        return divided(expr->operands[side], inverse->operands[1]);
    }
  if (scalarOp<math::ExpOp>(expr)) {
    Expr exponent = exprs.open(expr->operands[0]);
    if (scalarOp<arith::SubFOp>(exponent) && !isOfKeys(exponent->operands[1]))
      return exponentialOf(exponent->operands[0], exponent->operands[1]);
  }
  return std::nullopt;
}

std::optional<Share> ShareMatcher::findIn(Expr expr) {
  if (!isOfKeys(expr) || ++visited > mostVisited)
    return std::nullopt;
  Expr whole = exprs.open(expr);
  if (whole->kind != Kind::Scalar)
    return std::nullopt;
  std::optional<Share> share = match(whole);
  if (share)
    share->whole = whole;
  for (size_t number = 0; !share && number < whole->operands.size(); ++number)
    share = findIn(whole->operands[number]);
  for (Expr part = expr; share && part->kind == Kind::Element && part != whole; part = exprs.expand(part))
    share->tensors.push_back(part->tensor);
  return share;
}

Expr ShareMatcher::findExponential(Expr expr) {
  if (!isOfKeys(expr) || ++visited > 2 * mostVisited)
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
      if (constantOf(exprs.open(whole->operands[3 - side])) == 0.0)
        return findExponential(whole->operands[side]);
  if (scalarOp<arith::MulFOp>(whole))
    for (Expr operand : whole->operands)
      if (Expr found = findExponential(operand))
        return found;
  return nullptr;
}

} // namespace attnc
