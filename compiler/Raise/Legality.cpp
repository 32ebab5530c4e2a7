#include "compiler/Raise/Legality.h"
#include "compiler/Raise/NormalisedScore.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace attnc {

using Expr = ElementExprs::Expr;
using Kind = ElementExpr::Kind;

/// Weights have few ops between the normalised and the product with the value.
static constexpr unsigned deepest = 16;

static bool vanishes(ElementExprs &exprs, Expr weight, Expr normalised, unsigned depth) {
  Expr whole = exprs.open(weight);
  if (whole == normalised || constantValue(whole) == 0.0)
    return true;
  if (whole->kind != Kind::Scalar || depth == deepest)
    return false;
  auto isNothing = [&](Expr operand) { return vanishes(exprs, operand, normalised, depth + 1); };
  if (isa<arith::MulFOp>(whole->op))
    return llvm::any_of(whole->operands, isNothing);
  if (isa<arith::DivFOp>(whole->op))
    return isNothing(whole->operands[0]);
  if (isa<arith::SelectOp>(whole->op))
    return isNothing(whole->operands[1]) && isNothing(whole->operands[2]);
  bool keepsZero = isa<arith::AddFOp, arith::SubFOp, arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp, math::AbsFOp,
                       math::TanhOp, math::SinOp, math::SqrtOp, math::ErfOp>(whole->op);
  return keepsZero && llvm::all_of(whole->operands, isNothing);
}

bool vanishesWith(ElementExprs &exprs, Expr weight, Expr normalised) { return vanishes(exprs, weight, normalised, 0); }

std::optional<Reason> reasonAgainstPairs(ElementExprs &exprs, Expr formula, Expr normalised, ArrayRef<unsigned> queries,
                                    ArrayRef<unsigned> keys) {
  llvm::DenseSet<Expr> seen[2];
  SmallVector<std::pair<Expr, bool>> pending = {{formula, false}}; // and whether a sum is around it
  while (!pending.empty()) {
    auto [part, isSummed] = pending.pop_back_val();
    if (!exprs.dependsOn(part, queries) || !exprs.dependsOn(part, keys))
      continue;
    Expr whole = exprs.open(part);
    if (whole == normalised || !seen[isSummed].insert(whole).second)
      continue;
    bool sums = whole->kind == Kind::Reduce;
    if (sums && whole->combine != attn::Combine::Add)
      return Reason::ScoreFolded;
    if (sums && isSummed)
      return Reason::ScoreChained;
    for (Expr operand : whole->operands) {
      if (exprs.open(operand)->kind == Kind::Opaque)
        return Reason::ReadByData;
      pending.push_back({operand, isSummed || sums});
    }
  }
  return std::nullopt;
}

} // namespace attnc
