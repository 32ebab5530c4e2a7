#include "compiler/Narrow/Enclosure.h"
#include <numbers>

namespace attnc {

Enclosure Enclosure::between(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return everything();
  return {std::min(a, b), std::max(a, b)};
}

Enclosure operator+(const Enclosure &a, const Enclosure &b) {
  return Enclosure::between(a.least + b.least, a.greatest + b.greatest);
}

Enclosure operator-(const Enclosure &a) { return {-a.greatest, -a.least}; }
Enclosure operator-(const Enclosure &a, const Enclosure &b) { return a + -b; }

/// 0 times infinity is 0, as infinity stands for an unbounded finite number.
static double product(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

Enclosure operator*(const Enclosure &a, const Enclosure &b) {
  double corners[] = {product(a.least, b.least), product(a.least, b.greatest), product(a.greatest, b.least),
                      product(a.greatest, b.greatest)};
  return Enclosure::between(*std::ranges::min_element(corners), *std::ranges::max_element(corners));
}

static Enclosure reciprocal(const Enclosure &a) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (a.least < 0 && a.greatest > 0)
    return Enclosure::everything();
  if (a.least == 0)
    return {1 / a.greatest, infinity};
  if (a.greatest == 0)
    return {-infinity, 1 / a.least};
  return {1 / a.greatest, 1 / a.least};
}

Enclosure operator/(const Enclosure &a, const Enclosure &b) { return a * reciprocal(b); }

Enclosure hull(const Enclosure &a, const Enclosure &b) {
  return {std::min(a.least, b.least), std::max(a.greatest, b.greatest)};
}

Enclosure minimum(const Enclosure &a, const Enclosure &b) {
  return {std::min(a.least, b.least), std::min(a.greatest, b.greatest)};
}

Enclosure maximum(const Enclosure &a, const Enclosure &b) {
  return {std::max(a.least, b.least), std::max(a.greatest, b.greatest)};
}

Enclosure absolute(const Enclosure &a) { return {a.mignitude(), a.magnitude()}; }

/// Whether the enclosure contains `first + 2 pi k` for an integer k.
static bool containsPeriodic(const Enclosure &a, double first) {
  constexpr double period = 2 * std::numbers::pi;
  return std::floor((a.greatest - first) / period) >= std::ceil((a.least - first) / period);
}

Enclosure cosine(const Enclosure &a) {
  if (!(a.width() < 2 * std::numbers::pi))
    return {-1, 1};
  double x = std::cos(a.least), y = std::cos(a.greatest);
  return {containsPeriodic(a, std::numbers::pi) ? -1 : std::min(x, y), containsPeriodic(a, 0) ? 1 : std::max(x, y)};
}

Enclosure sine(const Enclosure &a) { return cosine(a - Enclosure::point(std::numbers::pi / 2)); }

Enclosure power(const Enclosure &base, const Enclosure &exponent) {
  double n = exponent.least;
  if (exponent.isPoint() && n == std::floor(n) && base.least < 0) {
    bool isEven = std::fmod(n, 2) == 0;
    Enclosure positive = isEven ? absolute(base) : base;
    return n < 0 ? reciprocal(power(base, Enclosure::point(-n)))
                 : Enclosure::between(std::pow(positive.least, n), std::pow(positive.greatest, n));
  }
  if (base.greatest < 0)
    return Enclosure::everything();
  double low = std::max(base.least, 0.0);
  double corners[] = {std::pow(low, exponent.least), std::pow(low, exponent.greatest),
                      std::pow(base.greatest, exponent.least), std::pow(base.greatest, exponent.greatest)};
  for (double corner : corners)
    if (std::isnan(corner))
      return {0, std::numeric_limits<double>::infinity()};
  return {*std::ranges::min_element(corners), *std::ranges::max_element(corners)};
}

} // namespace attnc
