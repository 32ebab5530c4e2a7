#include "compiler/Reference/Rounding.h"
#include <cmath>
#include <gtest/gtest.h>

namespace attnc::reference {
namespace {

/// A number's neighbours are 2^-bits of it apart: what lies in the middle goes to the even one of both.
void expectNearestEven(Rounding way, int bits) {
  double unit = std::ldexp(1.0, -bits);
  EXPECT_EQ(stored(1 + unit / 2, way), 1);
  EXPECT_EQ(stored(1 + unit * 3 / 2, way), 1 + 2 * unit);
  EXPECT_EQ(stored(-1 - unit * 5 / 8, way), -1 - unit);
  EXPECT_EQ(stored(HUGE_VAL, way), HUGE_VAL);
  EXPECT_TRUE(std::isnan(stored(NAN, way)));
}

TEST(Rounding, OfTensorsInBf16) { expectNearestEven(Rounding::TensorsToBf16, 7); }
TEST(Rounding, OfTensorsInF16) { expectNearestEven(Rounding::TensorsToF16, 10); }
TEST(Rounding, OfTensorsInTf32) { expectNearestEven(Rounding::TensorsToTf32, 10); }

TEST(Rounding, BeyondTheRange) {
  EXPECT_EQ(stored(65520, Rounding::TensorsToF16), HUGE_VAL);
  EXPECT_EQ(stored(65520, Rounding::TensorsToBf16), 65536);
  EXPECT_EQ(stored(65520, Rounding::TensorsToTf32), 65536);
}

} // namespace
} // namespace attnc::reference
