// Compares interval arithmetic with values at points of the intervals.
#include "compiler/Narrow/Enclosure.h"
#include <gtest/gtest.h>
#include <vector>

namespace attnc {
namespace {

const double ends[] = {-7.5, -2, -1, -0.25, 0, 0.5, 1, 3, 9};

std::vector<Enclosure> intervals() {
  std::vector<Enclosure> all;
  for (double a : ends)
    for (double b : ends)
      if (a <= b)
        all.push_back({a, b});
  return all;
}

std::vector<double> pointsOf(const Enclosure &a) {
  return {a.least, a.least + a.width() / 3, a.least + a.width() / 2, a.greatest - a.width() / 7, a.greatest};
}

/// Returns true if the interval contains the value, up to rounding of its endpoints.
bool holds(const Enclosure &a, double value) {
  return Enclosure{a.least - 1e-9 * (1 + std::fabs(a.least)), a.greatest + 1e-9 * (1 + std::fabs(a.greatest))}.contains(
      value);
}

TEST(Enclosure, HoldsAllValuesOfOneOperand) {
  for (const Enclosure &a : intervals())
    for (double x : pointsOf(a)) {
      EXPECT_TRUE(holds(sine(a), std::sin(x))) << x;
      EXPECT_TRUE(holds(cosine(a), std::cos(x))) << x;
      EXPECT_TRUE(holds(absolute(a), std::fabs(x))) << x;
      EXPECT_TRUE(holds(-a, -x)) << x;
      EXPECT_LE(std::fabs(x), a.magnitude());
      EXPECT_GE(std::fabs(x), a.mignitude());
      EXPECT_TRUE(holds(rising(a, [](double each) { return std::exp(each); }), std::exp(x)));
      if (x > 0) {
        EXPECT_TRUE(holds(rising(
                              a, [](double each) { return std::log(each); }, 0),
                          std::log(x)));
      }
    }
}

TEST(Enclosure, HoldsAllValuesOfTwoOperands) {
  for (const Enclosure &a : intervals())
    for (const Enclosure &b : intervals())
      for (double x : pointsOf(a))
        for (double y : pointsOf(b)) {
          EXPECT_TRUE(holds(a + b, x + y));
          EXPECT_TRUE(holds(a - b, x - y));
          EXPECT_TRUE(holds(a * b, x * y));
          EXPECT_TRUE(holds(minimum(a, b), std::min(x, y)));
          EXPECT_TRUE(holds(maximum(a, b), std::max(x, y)));
          EXPECT_TRUE(holds(hull(a, b), x));
          if (y != 0) {
            EXPECT_TRUE(holds(a / b, x / y)) << x << " / " << y;
          }
          if (x > 0) {
            EXPECT_TRUE(holds(power(a, b), std::pow(x, y))) << x << " ^ " << y;
          }
        }
}

TEST(Enclosure, RaisesNegativeNumbersToWholePowers) {
  for (const Enclosure &a : intervals())
    for (double exponent : {-2, -1, 2, 3})
      for (double x : pointsOf(a))
        if (x != 0) {
          EXPECT_TRUE(holds(power(a, Enclosure::point(exponent)), std::pow(x, exponent))) << x << " ^ " << exponent;
        }
}

TEST(Enclosure, IsNarrowWhereAFunctionIs) {
  EXPECT_LT(sine({0.1, 0.2}).width(), 0.11);
  EXPECT_EQ(sine({0, 4000}).width(), 2);
  EXPECT_EQ(power({-2, 3}, Enclosure::point(2)).least, 0);
  EXPECT_EQ((Enclosure{0, 0} * Enclosure::everything()).magnitude(), 0);
  EXPECT_FALSE((Enclosure::point(1) / Enclosure{-1, 1}).isFinite());
}

} // namespace
} // namespace attnc
