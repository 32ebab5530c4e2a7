#include "compiler/Derive/IndexFacts.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Analysis/Presburger/Simplex.h"

using namespace mlir;

namespace attnc {

/// Coefficients of dimensions and symbols, and the constant term; null if the expression is not linear.
static std::optional<SmallVector<llvm::DynamicAPInt>> linearForm(AffineExpr expr, unsigned dims, unsigned symbols) {
  SmallVector<int64_t> row;
  if (failed(getFlattenedAffineExpr(expr, dims, symbols, &row)) || row.size() != dims + symbols + 1)
    return std::nullopt;
  return llvm::map_to_vector(row, [](int64_t factor) { return llvm::DynamicAPInt(factor); });
}

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
  auto asked = linearForm(expr, dims, symbols);
  if (!asked)
    return false;
  presburger::Simplex simplex(dims + symbols);
  for (AffineExpr fact : facts)
    if (auto row = linearForm(fact, dims, symbols))
      simplex.addInequality(*row);
  return simplex.isEmpty() || simplex.isRedundantInequality(*asked);
}

bool IndexFacts::isInRange(AffineExpr expr, AffineExpr size) const {
  return isNonNegative(expr) && isNonNegative(size - expr - 1);
}

} // namespace attnc
