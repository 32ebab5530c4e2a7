#include "compiler/Reference/Rounding.h"
#include <cmath>
#include <gtest/gtest.h>
#include <set>

namespace attnc::reference {
namespace {

/// Neighbouring numbers differ by 2^-bits relative to their binade; a midpoint rounds to the even neighbour.
template <typename Round> void expectNearestEven(Round round, int bits) {
  double unit = std::ldexp(1.0, -bits);
  EXPECT_EQ(round(1 + unit / 2), 1);
  EXPECT_EQ(round(1 + unit * 3 / 2), 1 + 2 * unit);
  EXPECT_EQ(round(-1 - unit * 5 / 8), -1 - unit);
  EXPECT_EQ(round(HUGE_VAL), HUGE_VAL);
  EXPECT_TRUE(std::isnan(round(NAN)));
}

TEST(Rounding, OfTensorsInTf32) {
  expectNearestEven([](double value) { return stored(value, Rounding::TensorsToTf32); }, 10);
}

/// Draws move numbers by different amounts, and each draw moves some.
TEST(Rounding, LooselyByEachDraw) {
  for (uint32_t draw = 0; draw < 8; ++draw) {
    int moved = 0;
    for (double value = 1; value < 2; value += 0x1p-6)
      moved += rounded(value, {Rounding::Loosely, draw}) != value;
    EXPECT_GT(moved, 32) << draw;
  }
  EXPECT_NE(rounded(1.25, {Rounding::Loosely, 1}), rounded(1.25, {Rounding::Loosely, 2}));
}

/// Returns how many units in the last place a draw moves a number of [1, 2).
int unitsMoved(double value, uint32_t draw, Accuracy accuracy) {
  return static_cast<int>((rounded(value, {Rounding::Loosely, draw}, accuracy) - static_cast<float>(value)) * 0x1p23);
}

/// Errors of polynomials agree at close arguments: some draws move all results of functions alike, but never sums and
/// products.
TEST(Rounding, OfFunctionsAtLikeArguments) {
  int drawsOfOneMove = 0;
  for (uint32_t draw = 0; draw < 9; ++draw) {
    std::set<int> ofFunctions, ofSums;
    for (int step = 0; step < 64; ++step) {
      double value = 1.5 + step * 0x1p-20 + 0x1p-26; // not an f32, as sums of f32 numbers can be exact
      ofFunctions.insert(unitsMoved(value, draw, Accuracy::Near));
      ofSums.insert(unitsMoved(value, draw, Accuracy::Rounded));
    }
    drawsOfOneMove += ofFunctions.size() == 1;
    EXPECT_EQ(ofSums.size(), 9) << draw;
  }
  EXPECT_EQ(drawsOfOneMove, 6);
}

TEST(Rounding, BeyondTheRange) {
  EXPECT_EQ(stored(65520, Rounding::TensorsToTf32), 65536);
  EXPECT_EQ(stored(65520, Rounding::TensorsToF16), HUGE_VAL);
}

} // namespace
} // namespace attnc::reference
