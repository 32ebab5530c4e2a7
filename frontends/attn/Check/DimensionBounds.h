//===- DimensionBounds.h - bounds of the dynamic dimensions of an entry point -------------------------------------===//
#pragma once

#include "frontends/attn/Check/Dim.h"
#include <functional>
#include <set>

namespace attnc::check {

class DimensionBounds {
public:
  /// Declares a dynamic dimension of the current entry point, with the minimum 0.
  void add(const std::string &name) { minima[name] = 0; }
  /// Sets an upper limit of a dynamic dimension.
  void setMaximum(const std::string &name, int64_t maximum) { maxima[name] = maximum; }
  /// Returns the least size, 0 or 1, of a declared dimension for which all subscripts decided so far are in range.
  int64_t minimum(const std::string &name) const { return minima.at(name); }
  void clear() {
    maxima.clear();
    minima.clear();
  }

  /// True if 0 <= dim is proved for all values of the dimensions, up to their maxima; with `positive`, for all values
  /// of at least 1.
  bool isNonNegative(const Dim &dim, bool positive = false) const;
  /// Raises the least sizes of the dimensions that must be at least 1 for all `dims` to be nonnegative. False,
  /// without a change, if some may be negative even then. Reports nothing.
  bool require(const std::vector<Dim> &dims);
  /// Raises the least size to 1 for each dimension without which `holds` fails, except `existing` ones. It holds if all
  /// dimensions are at least 1.
  void raiseMinima(const std::set<std::string> &existing, const std::function<bool()> &holds);

private:
  Dim shifted(const Dim &dim) const;

  std::map<std::string, int64_t> maxima, minima;
  std::set<std::string> maybeEmpty; ///< dimensions that raiseMinima assumes to be at least 0, not 1
};

} // namespace attnc::check
