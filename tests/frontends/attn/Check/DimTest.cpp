// Tests sizes as polynomials over named dimensions.

#include "frontends/attn/Check/Dim.h"

#include <gtest/gtest.h>

using namespace attnc;

namespace {

const Dim n = Dim::symbol("n"), m = Dim::symbol("m");

TEST(Dim, EqualPolynomialsAreEqual) {
  EXPECT_EQ((n + Dim(1)) * (n - Dim(1)), n * n - Dim(1));
  EXPECT_EQ(n * m, m * n);
  EXPECT_EQ(n - n, Dim(0));
  EXPECT_EQ(n.labelled("rows"), n);
}

TEST(Dim, DividesWhereThatIsExact) {
  EXPECT_EQ((n * m * Dim(6)).dividedBy(n * Dim(3)), m * Dim(2));
  EXPECT_EQ((n * n - Dim(1)).dividedBy(n - Dim(1)), n + Dim(1));
  EXPECT_EQ((n * Dim(3)).dividedBy(Dim(2)), std::nullopt);
  EXPECT_EQ((n + Dim(1)).dividedBy(n), std::nullopt);
  EXPECT_EQ(n.dividedBy(Dim(0)), std::nullopt);
  EXPECT_EQ(Dim(0).dividedBy(n), Dim(0));
}

TEST(Dim, QuotientsRoundDown) {
  auto quotient = [](const Dim &size, int64_t divisor) { return size.quotient(divisor)->text(); };
  EXPECT_EQ(quotient(n + Dim(15), 16), "(n + 15) / 16");
  EXPECT_EQ(quotient(n * Dim(16) + Dim(20), 16), "n + 1");
  EXPECT_EQ(quotient(n - Dim(3), 2), "(n + 1) / 2 - 2");
  EXPECT_EQ(quotient(n * Dim(3), 2), "n + n / 2");
  EXPECT_EQ(quotient(Dim(64) - n, 8), "7*n / 8 + 8 - n");
  EXPECT_EQ(quotient(n * Dim(4) + Dim(3), 8), "n / 2");
  EXPECT_EQ(quotient(Dim(100), 16), "6");
  EXPECT_EQ(quotient(Dim(-1), 16), "-1");
  EXPECT_EQ(quotient(n, 1), "n");
  EXPECT_EQ((*n.quotient(2) * Dim(16) * m).text(), "16*m*(n / 2)");
}

TEST(Dim, QuotientsOfQuotientsAreOne) {
  Dim half = *(n + Dim(1)).quotient(2);
  EXPECT_EQ((half + Dim(1)).quotient(2), (n + Dim(3)).quotient(4));
  EXPECT_EQ((half * Dim(3)).dividedBy(Dim(3)), half);
  Dim mixed = m;
  for (unsigned nesting = 0; nesting < Dim::mostNestedQuotients; ++nesting)
    mixed = *(mixed + n).quotient(2) + m;
  EXPECT_EQ((mixed + n).quotient(2), std::nullopt) << "too deep";
}

TEST(Dim, QuotientsFollowTheirDimensions) {
  Dim blocks = *(n + m + Dim(15)).quotient(16);
  EXPECT_EQ(blocks.dimensions(), (std::set<std::string>{"m", "n"}));
  EXPECT_EQ(blocks.substitute({{"n", n + Dim(1)}}), (n + m).quotient(16).value() + Dim(1));
  EXPECT_EQ(blocks.substitute({{"n", Dim(20)}, {"m", Dim(0)}}), Dim(2));
  EXPECT_FALSE(blocks.linear());
}

TEST(Dim, SizesOfTensorsAreMarked) {
  EXPECT_TRUE((n * Dim(2)).isExtent());
  EXPECT_TRUE((Dim(3).asExtent() - Dim(1)).isExtent());
  EXPECT_FALSE((Dim(3) * Dim(2)).isExtent());
  EXPECT_EQ(Dim(3).asExtent(), Dim(3));
}

TEST(Dim, ReadsAsAPersonWritesIt) {
  EXPECT_EQ((Dim(2) * m * n + Dim(1)).text(), "2*m*n + 1");
  EXPECT_EQ((n - Dim(1)).text(), "n - 1");
  EXPECT_EQ((Dim(0) - n).text(), "-n");
  EXPECT_EQ(Dim(0).text(), "0");
  EXPECT_EQ(textOf(Shape{n, Dim(64)}), "[n, 64]");
}

TEST(Dim, Substitutes) { EXPECT_EQ((n * n + m).substitute({{"n", m + Dim(1)}}), m * m + m * Dim(3) + Dim(1)); }

TEST(Dim, OverflowSaturates) {
  EXPECT_EQ((Dim(INT64_MAX) + Dim(1)).constant(), INT64_MAX);
  EXPECT_EQ((Dim(INT64_MIN) * Dim(2)).constant(), INT64_MIN);
  EXPECT_EQ(Dim(INT64_MIN).dividedBy(Dim(-1)), std::nullopt);
}

} // namespace
