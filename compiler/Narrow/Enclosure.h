//===- Enclosure.h - interval arithmetic --------------------------------------------------------------------------===//
//
// An enclosure is an interval that contains every value of an expression (R. Moore, Interval Analysis, 1966). An
// infinite endpoint means that there is no bound; 0 times infinity is 0. Endpoints are rounded to nearest, not
// outwards: conditioning analysis uses their orders of magnitude, not their last bits.
//
//   [1, 2] - [1, 2] = [-1, 1]        1 / [0, 1] = [1, inf]        1 / [-1, 1] = everything        sin [0, 9] = [-1, 1]
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace attnc {

/// The numbers x with least <= x <= greatest; by default all numbers.
struct Enclosure {
  double least = -std::numeric_limits<double>::infinity(), greatest = std::numeric_limits<double>::infinity();

  static Enclosure point(double value) { return {value, value}; }
  static Enclosure everything() { return {}; }
  /// The interval with the endpoints a and b, in either order; everything() if one of them is NaN.
  static Enclosure between(double a, double b);

  bool isPoint() const { return least == greatest; }
  bool isFinite() const { return std::isfinite(least) && std::isfinite(greatest); }
  bool contains(double value) const { return least <= value && value <= greatest; }
  /// The largest |x| of the numbers x in the enclosure, and the smallest one.
  double magnitude() const { return std::max(std::fabs(least), std::fabs(greatest)); }
  double mignitude() const { return contains(0) ? 0 : std::min(std::fabs(least), std::fabs(greatest)); }
  double width() const { return greatest - least; }
};

// Each function below returns an enclosure of its results for all arguments in the enclosures a and b. The quotient is
// everything() if 0 is between the endpoints of b, unless a is [0, 0]; the inverse of an endpoint 0 is infinite.
Enclosure operator+(const Enclosure &a, const Enclosure &b);
Enclosure operator-(const Enclosure &a, const Enclosure &b);
Enclosure operator*(const Enclosure &a, const Enclosure &b);
Enclosure operator/(const Enclosure &a, const Enclosure &b);
Enclosure operator-(const Enclosure &a);

/// The smallest interval that contains both.
Enclosure hull(const Enclosure &a, const Enclosure &b);
Enclosure minimum(const Enclosure &a, const Enclosure &b);
Enclosure maximum(const Enclosure &a, const Enclosure &b);
Enclosure absolute(const Enclosure &a);
Enclosure sine(const Enclosure &a);
Enclosure cosine(const Enclosure &a);
/// base^exponent in real numbers. A negative base counts only if the exponent is one integer; otherwise the part of
/// `base` from 0 on does, and the result is everything() if there is none.
Enclosure power(const Enclosure &base, const Enclosure &exponent);

/// The image of the part of `a` that is at least `domain` under a function that does not decrease there; everything()
/// if there is no such part.
template <typename Function>
Enclosure rising(const Enclosure &a, Function function, double domain = -std::numeric_limits<double>::infinity()) {
  if (a.greatest < domain)
    return Enclosure::everything();
  return Enclosure::between(function(std::max(a.least, domain)), function(a.greatest));
}

} // namespace attnc
