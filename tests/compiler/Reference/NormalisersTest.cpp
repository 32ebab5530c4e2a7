// Tests gradients of normalisers with the roundings of compiled code.
#include "compiler/Reference/Normalisers.h"
#include "compiler/Reference/RoundingSamples.h"
#include <cmath>
#include <gtest/gtest.h>

namespace attnc::reference {
namespace {

/// Returns ds/dp of a single key with weight sigma(s).
double ofOneKey(double score, Rounding rounding) {
  constexpr auto breaking = mlir::attn::Normaliser::StickBreaking;
  NormaliserArguments arguments{.rounding = rounding};
  NormalisedRow row = normalise(breaking, {score}, arguments);
  return normaliserGradient(breaking, {score}, arguments, row, {1.0}, 0).scores[0];
}

/// Compiled code computes 1 - sigma(s) as a difference.
TEST(Normalisers, RoundingMovesTheGradientOfStickBreakingByUnitsOfTheWeight) {
  constexpr double score = 6, unit = 0x1p-24;
  double exact = ofOneKey(score, Rounding::None), moved = 0, share = 1 / (1 + std::exp(-score));
  EXPECT_NEAR(exact, share * (1 - share), 1e-15);
  for (Rounding rounding : sampledRoundings(8))
    moved = std::max(moved, std::fabs(ofOneKey(score, rounding) - exact));
  EXPECT_GT(moved, unit / 2);
  EXPECT_LT(moved, 20 * unit);
}

} // namespace
} // namespace attnc::reference
