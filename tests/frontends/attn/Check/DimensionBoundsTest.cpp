// Tests the proofs that sizes are not negative.
#include "frontends/attn/Check/DimensionBounds.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

using namespace attnc;
using attnc::check::DimensionBounds;

namespace {

const Dim n = Dim::symbol("n"), m = Dim::symbol("m");

DimensionBounds boundsOfBoth() {
  DimensionBounds bounds;
  bounds.add("n");
  bounds.add("m");
  return bounds;
}

TEST(DimensionBounds, ProveByTheDividend) {
  DimensionBounds bounds = boundsOfBoth();
  Dim blocks = *(n + Dim(15)).quotient(16), half = *n.quotient(2);
  EXPECT_TRUE(bounds.isNonNegative(blocks * Dim(16) - n));
  EXPECT_TRUE(bounds.isNonNegative(n - half * Dim(2)));
  EXPECT_TRUE(bounds.isNonNegative(m * n - m * half));
  EXPECT_TRUE(bounds.isNonNegative(n + Dim(15) - blocks * Dim(16)));
  EXPECT_FALSE(bounds.isNonNegative(n - blocks * Dim(16)));
  EXPECT_FALSE(bounds.isNonNegative(half * Dim(2) - n));
  EXPECT_TRUE(bounds.isNonNegative(blocks - Dim(1), /*positive=*/true));
  EXPECT_FALSE(bounds.isNonNegative(half - Dim(1), /*positive=*/true));
}

TEST(DimensionBounds, RaiseMinimaOfQuotients) {
  DimensionBounds bounds = boundsOfBoth();
  bounds.requireSize(*(n - Dim(3)).quotient(2) * Dim(2) - Dim(3)); // (n - 3) / 2 >= 2
  bounds.requireSize(*(*m.quotient(3) + Dim(1)).quotient(2) - Dim(4));
  EXPECT_EQ(bounds.minimum("n"), 7);
  EXPECT_EQ(bounds.minimum("m"), 21);
}

/// Returns the value of a size for values of its dimensions.
int64_t valueOf(const Dim &size, int64_t first, int64_t second) {
  return size.substitute({{"n", Dim(first)}, {"m", Dim(second)}}).constant();
}

/// Random sizes equal plain arithmetic, and sizes that are proved not to be negative are not.
TEST(DimensionBoundsProperties, AgreeWithNumbers) {
  auto outcome = rc::check([] {
    int64_t first = *rc::gen::inRange<int64_t>(0, 60), second = *rc::gen::inRange<int64_t>(0, 60);
    std::vector<std::pair<Dim, int64_t>> pool = {{n, first}, {m, second}, {Dim(7), 7}};
    int steps = *rc::gen::inRange(1, 8);
    for (int step = 0; step < steps; ++step) {
      auto [a, x] = *rc::gen::elementOf(pool);
      auto [b, y] = *rc::gen::elementOf(pool);
      int64_t number = *rc::gen::inRange<int64_t>(1, 9);
      int kind = *rc::gen::inRange(0, 4);
      if (kind == 0)
        pool.emplace_back(a + b * Dim(number), x + y * number);
      else if (kind == 1)
        pool.emplace_back(a * Dim(number) - b - Dim(3), x * number - y - 3);
      else if (kind == 2 && std::abs(x * y) < 10000)
        pool.emplace_back(a * b, x * y);
      else if (std::optional<Dim> quotient = a.quotient(number))
        pool.emplace_back(*quotient, (x - ((x % number) + number) % number) / number);
    }
    DimensionBounds bounds = boundsOfBoth();
    for (const auto &[size, value] : pool) {
      RC_PRE(!size.isSaturated());
      RC_ASSERT(valueOf(size, first, second) == value);
      RC_ASSERT(value >= 0 || !bounds.isNonNegative(size));
      RC_ASSERT(value >= 0 || first == 0 || second == 0 || !bounds.isNonNegative(size, /*positive=*/true));
    }
  });
  EXPECT_TRUE(outcome);
}

} // namespace
