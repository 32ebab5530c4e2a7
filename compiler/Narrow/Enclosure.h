//===- Enclosure.h - interval arithmetic --------------------------------------------------------------------------===//
//
// An enclosure is an interval that contains every value of an expression (R. Moore, Interval Analysis, 1966). Endpoints
// are rounded to nearest: conditioning analysis uses their orders of magnitude, not their last bits.
//
//   [1, 2] - [1, 2] = [-1, 1]        1 / [0, 1] = [1, inf]        1 / [-1, 1] = everything        sin [0, 9] = [-1, 1]
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace attnc {

struct Enclosure {
  double least = -std::numeric_limits<double>::infinity(), greatest = std::numeric_limits<double>::infinity();

  static Enclosure point(double value) { return {value, value}; }
  static Enclosure everything() { return {}; }
  /// [a, b] in either order; everything if one of them is NaN.
  static Enclosure between(double a, double b);

  bool isPoint() const { return least == greatest; }
  bool isFinite() const { return std::isfinite(least) && std::isfinite(greatest); }
  bool contains(double value) const { return least <= value && value <= greatest; }
  /// The largest and the smallest |value|.
  double magnitude() const { return std::max(std::fabs(least), std::fabs(greatest)); }
  double mignitude() const { return contains(0) ? 0 : std::min(std::fabs(least), std::fabs(greatest)); }
  double width() const { return greatest - least; }
};

Enclosure operator+(const Enclosure &a, const Enclosure &b);
Enclosure operator-(const Enclosure &a, const Enclosure &b);
Enclosure operator*(const Enclosure &a, const Enclosure &b);
Enclosure operator/(const Enclosure &a, const Enclosure &b);
Enclosure operator-(const Enclosure &a);

Enclosure hull(const Enclosure &a, const Enclosure &b);
Enclosure minimum(const Enclosure &a, const Enclosure &b);
Enclosure maximum(const Enclosure &a, const Enclosure &b);
Enclosure absolute(const Enclosure &a);
Enclosure sine(const Enclosure &a);
Enclosure cosine(const Enclosure &a);
/// base^exponent in real numbers; for a negative base, integer exponents only.
Enclosure power(const Enclosure &base, const Enclosure &exponent);

/// Image under a non-decreasing function whose domain starts at `domain`.
template <typename Function>
Enclosure rising(const Enclosure &a, Function function, double domain = -std::numeric_limits<double>::infinity()) {
  if (a.greatest < domain)
    return Enclosure::everything();
  return Enclosure::between(function(std::max(a.least, domain)), function(a.greatest));
}

} // namespace attnc
