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
