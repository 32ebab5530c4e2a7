#include "compiler/Derive/IndexFacts.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Analysis/Presburger/Simplex.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;

namespace attnc {

/// Coefficients of dimensions and symbols, and the constant term; null if the expression is not linear.
static std::optional<SmallVector<llvm::DynamicAPInt>> linearForm(AffineExpr expr, unsigned dims, unsigned symbols) {
  SmallVector<int64_t> row;
  if (failed(getFlattenedAffineExpr(expr, dims, symbols, &row)) || row.size() != dims + symbols + 1)
    return std::nullopt;
  return llvm::map_to_vector(row, [](int64_t factor) { return llvm::DynamicAPInt(factor); });
}

namespace {

/// Replaces quotients by further dimensions.
class Quotients {
public:
  explicit Quotients(unsigned dims) : dims(dims) {}

  AffineExpr replaceIn(AffineExpr expr) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    if (!binary)
      return expr;
    AffineExpr left = replaceIn(binary.getLHS()), right = replaceIn(binary.getRHS());
    auto divisor = dyn_cast<AffineConstantExpr>(right);
    bool isRemainder = binary.getKind() == AffineExprKind::Mod;
    if ((!isRemainder && binary.getKind() != AffineExprKind::FloorDiv) || !divisor || divisor.getValue() <= 0)
      return getAffineBinaryOpExpr(binary.getKind(), left, right);
    auto [found, isNew] =
        numbers.try_emplace(getAffineBinaryOpExpr(AffineExprKind::FloorDiv, left, right), numbers.size());
    AffineExpr quotient = getAffineDimExpr(dims + found->second, expr.getContext());
    if (isNew) {
      AffineExpr remainder = left - quotient * divisor.getValue();
      definitions.append({remainder, divisor.getValue() - 1 - remainder});
    }
    return isRemainder ? left - quotient * divisor.getValue() : quotient;
  }
  /// Facts about the new dimensions.
  ArrayRef<AffineExpr> facts() const { return definitions; }
  unsigned dimCount() const { return dims + numbers.size(); }

private:
  unsigned dims;
  llvm::DenseMap<AffineExpr, unsigned> numbers;
  SmallVector<AffineExpr> definitions;
};

} // namespace

static unsigned symbolsIn(ArrayRef<AffineExpr> exprs) {
  unsigned count = 0;
  for (AffineExpr expr : exprs)
    expr.walk([&](AffineExpr each) {
      if (auto symbol = dyn_cast<AffineSymbolExpr>(each))
        count = std::max(count, symbol.getPosition() + 1);
    });
  return count;
}

void IndexFacts::addInRange(AffineExpr expr, AffineExpr size) {
  addNonNegative(expr);
  addNonNegative(size - expr - 1);
}

bool IndexFacts::isNonNegative(AffineExpr expr) const {
  unsigned symbols = std::max(symbolsIn(facts), symbolsIn(expr));
  Quotients quotients(dims);
  AffineExpr goal = quotients.replaceIn(expr);
  SmallVector<AffineExpr> known =
      llvm::map_to_vector(facts, [&](AffineExpr fact) { return quotients.replaceIn(fact); });
  known.append(quotients.facts().begin(), quotients.facts().end());
  unsigned variables = quotients.dimCount();
  auto asked = linearForm(goal, variables, symbols);
  if (!asked)
    return false;
  presburger::Simplex simplex(variables + symbols);
  for (AffineExpr fact : known)
    if (auto row = linearForm(fact, variables, symbols))
      simplex.addInequality(*row);
  // The variables are integers, so the goal is false only if it is at most -1.
  for (llvm::DynamicAPInt &factor : *asked)
    factor = -factor;
  asked->back() -= 1;
  simplex.addInequality(*asked);
  return simplex.isEmpty();
}

bool IndexFacts::isInRange(AffineExpr expr, AffineExpr size) const {
  return isNonNegative(expr) && isNonNegative(size - expr - 1);
}

} // namespace attnc
