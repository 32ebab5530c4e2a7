#include "frontends/attn/Check/DimensionBounds.h"

#include <algorithm>

namespace attnc::check {

/// Replaces each dimension n by n + 1, so that the new n is at least 0 if the old one is at least 1.
Dim DimensionBounds::shifted(const Dim &dim) const {
  std::map<std::string, Dim> values;
  for (const auto &[monomial, coefficient] : dim.getTerms())
    for (const std::string &name : monomial)
      if (!maybeEmpty.count(name))
        values[name] = Dim::symbol(name) + Dim(1);
  return dim.substitute(values);
}

bool DimensionBounds::isNonNegative(const Dim &dim, bool positive) const {
  if (dim.isPlainlyNonNegative() || (positive && shifted(dim).isPlainlyNonNegative()))
    return true;
  // Subtracted terms are replaced by their maxima.
  Dim least;
  for (const auto &[monomial, coefficient] : dim.getTerms()) {
    Dim term(coefficient);
    for (const std::string &name : monomial) {
      auto maximum = maxima.find(name);
      if (coefficient < 0 && maximum == maxima.end())
        return false;
      term = term * (coefficient < 0 ? Dim(maximum->second) : Dim::symbol(name));
    }
    least = least + term;
  }
  return least.isPlainlyNonNegative() || (positive && shifted(least).isPlainlyNonNegative());
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
