#include "frontends/attn/Check/DimensionBounds.h"

#include <algorithm>

namespace attnc::check {

/// Replaces each dimension n by n + 1, so that the new n is at least 0 if the old one is at least 1.
Dim DimensionBounds::shifted(const Dim &dim) const {
  std::map<std::string, Dim> values;
  for (const std::string &name : dim.dimensions())
    if (!maybeEmpty.count(name))
      values[name] = Dim::symbol(name) + Dim(1);
  return dim.substitute(values);
}

bool DimensionBounds::isPlainlyNonNegative(const Dim &dim, bool positive) const {
  return dim.isPlainlyNonNegative() || (positive && shifted(dim).isPlainlyNonNegative());
}

/// Returns a size without the quotient of a term that is at least 0 only if `dim` is: for q = floor(e / c), c*q is at
/// least e - (c - 1) and at most e. Null if no term has a quotient.
static std::optional<Dim> withoutQuotient(const Dim &dim) {
  for (const auto &[monomial, coefficient] : dim.getTerms())
    for (size_t position = 0; position < monomial.size(); ++position) {
      if (!monomial[position].quotient)
        continue;
      const auto &[dividend, divisor] = *monomial[position].quotient;
      Dim term(coefficient), others(coefficient);
      for (size_t i = 0; i < monomial.size(); ++i) {
        term = term * Dim::of(monomial[i]);
        others = i == position ? others : others * Dim::of(monomial[i]);
      }
      Dim bound = coefficient > 0 ? dividend - Dim(divisor - 1) : dividend;
      // Sizes are integers, so the rest is at least 0 if divisor * rest is at least 1 - divisor.
      return (dim - term) * Dim(divisor) + others * bound + Dim(divisor - 1);
    }
  return std::nullopt;
}

bool DimensionBounds::isNonNegative(const Dim &dim, bool positive) const {
  if (isPlainlyNonNegative(dim, positive))
    return true;
  if (dim.isSaturated())
    return false;
  if (std::optional<Dim> bound = withoutQuotient(dim))
    return isNonNegative(*bound, positive);
  // Subtracted terms are replaced by their maxima.
  Dim least;
  for (const auto &[monomial, coefficient] : dim.getTerms()) {
    Dim term(coefficient);
    for (const Dim::Factor &factor : monomial) {
      auto maximum = maxima.find(factor.name);
      if (coefficient < 0 && maximum == maxima.end())
        return false;
      term = term * (coefficient < 0 ? Dim(maximum->second) : Dim::symbol(factor.name));
    }
    least = least + term;
  }
  return isPlainlyNonNegative(least, positive);
}

bool DimensionBounds::require(const std::vector<Dim> &dims) {
  auto holds = [&] {
    return std::all_of(dims.begin(), dims.end(), [&](const Dim &dim) { return isNonNegative(dim, true); });
  };
  if (!holds())
    return false;
  raiseMinima({}, holds);
  return true;
}

void DimensionBounds::requireSize(const Dim &size) {
  if (require({size}))
    return;
  // a*floor(e / c) + b >= 0 if e >= c * ceil(-b / a), for a number b
  for (const auto &[monomial, coefficient] : size.getTerms())
    if (monomial.size() == 1 && monomial[0].quotient && coefficient > 0) {
      const auto &[dividend, divisor] = *monomial[0].quotient;
      Dim offset = size - Dim::of(monomial[0]) * Dim(coefficient);
      if (offset.isConstant())
        requireSize(dividend - Dim((coefficient - 1 - offset.constant()) / coefficient) * Dim(divisor));
      return;
    }
  std::optional<Dim::Linear> linear = size.linear();
  if (!linear)
    return;
  if (auto minimum = minima.find(linear->name); minimum != minima.end()) {
    int64_t roundedUp = (Dim(linear->factor - 1) - Dim(linear->offset)).constant() / linear->factor;
    minimum->second = std::max(minimum->second, roundedUp);
  }
}

void DimensionBounds::raiseMinima(const std::set<std::string> &existing, const std::function<bool()> &holds) {
  for (auto &[name, minimum] : minima) {
    if (existing.count(name))
      continue;
    maybeEmpty.insert(name);
    if (holds())
      continue;
    maybeEmpty.erase(name);
    minimum = std::max<int64_t>(minimum, 1);
  }
  maybeEmpty.clear();
}

} // namespace attnc::check
