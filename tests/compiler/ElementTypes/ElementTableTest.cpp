#include "compiler/ElementTypes/ElementTable.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>

namespace attnc {
namespace {

std::vector<attn_dtype> narrowTypes() {
  std::vector<attn_dtype> narrow;
  for (attn_dtype dtype : elementTypes())
    if (narrowFormat(dtype))
      narrow.push_back(dtype);
  return narrow;
}

/// Numbers near 1 are `unit` apart; the middle of two goes to the even one.
TEST(ElementTable, RoundsTiesToEven) {
  for (attn_dtype dtype : narrowTypes()) {
    const llvm::fltSemantics &format = *narrowFormat(dtype);
    double unit = 2 * unitRoundoff(format);
    EXPECT_EQ(roundTo(format, 1 + unit / 2), 1);
    EXPECT_EQ(roundTo(format, 1 + unit * 3 / 2), 1 + 2 * unit);
    EXPECT_EQ(roundTo(format, -1 - unit * 5 / 8), -1 - unit);
    EXPECT_EQ(roundTo(format, HUGE_VAL), HUGE_VAL);
    EXPECT_TRUE(std::isnan(roundTo(format, NAN)));
    EXPECT_TRUE(std::signbit(roundTo(format, -0.0)));
  }
}

TEST(ElementTable, RoundsBeyondTheLargestNumberToInfinity) {
  EXPECT_EQ(roundTo(*narrowFormat(ATTN_F16), 65519), 65504);
  EXPECT_EQ(roundTo(*narrowFormat(ATTN_F16), -65520), -HUGE_VAL);
  EXPECT_EQ(roundTo(*narrowFormat(ATTN_BF16), 65520), 65536);
}

/// Every exponent of a double, subnormal numbers of the format and overflow among them.
TEST(ElementTable, RoundsAsTheBitsDo) {
  std::mt19937_64 random(1);
  for (attn_dtype dtype : narrowTypes())
    for (int draw = 0; draw < 100000; ++draw) {
      double value = std::ldexp(static_cast<double>(random() >> 11) * 0x1p-52 - 1, int(draw % 300) - 150);
      const llvm::fltSemantics &format = *narrowFormat(dtype);
      EXPECT_EQ(roundTo(format, value), numberOfBits(format, narrowBits(format, value))) << value;
    }
}

TEST(ElementTable, BitsOfANumberAreItsBits) {
  for (attn_dtype dtype : narrowTypes()) {
    const llvm::fltSemantics &format = *narrowFormat(dtype);
    for (uint64_t bits = 0; bits < uint64_t(1) << 8 * attn_element_bytes(dtype); ++bits)
      if (double number = numberOfBits(format, bits); !std::isnan(number))
        ASSERT_EQ(narrowBits(format, number), bits);
  }
}

} // namespace
} // namespace attnc
