//===- DimensionBounds.h - bounds of the dynamic dimensions of an entry point -------------------------------------===//
#pragma once

#include "frontends/attn/Check/Dim.h"
#include <functional>
#include <set>

namespace attnc::check {

/// Lower and upper bounds of the dynamic dimensions of the entry point that is being checked. The upper bounds, maxima,
/// are declared (`seq <= 256`). The lower bounds, minima, are 0 at first. The checker raises a minimum to 1 where a
/// slice or a subscript is only in range if the dimension is not empty, such as x[n - 1], and further where a size such
/// as n - 5 would otherwise be negative.
class DimensionBounds {
public:
  /// Declares a dynamic dimension of the entry point, with the minimum 0.
  void add(const std::string &name) { minima[name] = 0; }
  /// Sets the maximum, an inclusive bound, of a dynamic dimension.
  void setMaximum(const std::string &name, int64_t maximum) { maxima[name] = maximum; }
  /// Returns the minimum of a declared dimension: for sizes from this one on, all accesses proved so far are
  /// in range.
  int64_t minimum(const std::string &name) const { return minima.at(name); }
  /// Removes all dimensions, before the next entry point.
  void clear() {
    maxima.clear();
    minima.clear();
  }

  /// True if 0 <= dim is proved for all sizes of the dimensions, from 0 to their maxima; with `positive`, for all sizes
  /// from 1 on. False means that there is no proof. Does not use the minima.
  bool isNonNegative(const Dim &dim, bool positive = false) const;
  /// Requires that all `dims` are nonnegative: sets the minimum to 1 for each dimension without which this cannot be
  /// proved, and returns true. Returns false, without a change, if there is no proof even if all dimensions are at
  /// least 1. Reports nothing.
  bool require(const std::vector<Dim> &dims);
  /// Requires that a size is not negative: raises the minima for which this is proved. If the size is neither proved by
  /// require() nor a*e - b with a > 0, for a dimension or a quotient e of one dimension, its sign is not known, and
  /// nothing changes.
  void requireSize(const Dim &size);
  /// Sets the minimum to 1 for each dimension that must be at least 1 for `holds`. The dimensions in `existing` are at
  /// least 1 by assumption; their minima do not change. `holds` calls isNonNegative with `positive`, which assumes
  /// sizes from 1 on; meanwhile raiseMinima lets one dimension after the other be 0. `holds` is true before the call.
  void raiseMinima(const std::set<std::string> &existing, const std::function<bool()> &holds);

private:
  Dim shifted(const Dim &dim) const;
  bool isPlainlyNonNegative(const Dim &dim, bool positive) const;

  std::map<std::string, int64_t> maxima, minima;
  std::set<std::string> maybeEmpty; ///< dimensions that raiseMinima assumes to be at least 0, not 1
};

} // namespace attnc::check
