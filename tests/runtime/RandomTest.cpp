#include "attn/random.h"
#include <cmath>
#include <gtest/gtest.h>

// Known answers of Philox4x32-10 from the Random123 distribution: zero and all-ones counters and keys.
TEST(Random, MatchesThePublishedPhilox) {
  uint32_t words[4];
  attn_random_words(0, 0, 0, words);
  EXPECT_EQ(words[0], 0x6627e8d5u);
  EXPECT_EQ(words[1], 0xe169c58du);
  EXPECT_EQ(words[2], 0xbc57ac4cu);
  EXPECT_EQ(words[3], 0x9b00dbd8u);
  attn_random_words(~0ull, ~0ull, ~0ull, words);
  EXPECT_EQ(words[0], 0x408f276du);
  EXPECT_EQ(words[1], 0x41c83b0eu);
  EXPECT_EQ(words[2], 0xa20bc7c6u);
  EXPECT_EQ(words[3], 0x6d5451fdu);
}

TEST(Random, NormalDrawsHaveTheMomentsOfANormal) {
  const int n = 200000;
  double sum = 0, squares = 0, fourth = 0;
  int beyondTwo = 0;
  for (int i = 0; i < n; ++i) {
    double x = attn_random_normal(7, 3, i);
    sum += x;
    squares += x * x;
    fourth += x * x * x * x;
    beyondTwo += std::fabs(x) > 2;
  }
  EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(double(n)));
  EXPECT_NEAR(squares / n, 1, 5 * std::sqrt(2.0 / n));
  EXPECT_NEAR(fourth / n, 3, 5 * std::sqrt(96.0 / n));
  EXPECT_NEAR(double(beyondTwo) / n, 0.0455, 0.003);
}

TEST(Random, NormalIsTheQuantileOfTheUniform) {
  for (uint64_t i = 0; i < 5000; ++i) {
    double p = attn_random_uniform(1, 2, i), x = attn_random_normal(1, 2, i);
    EXPECT_NEAR(0.5 * std::erfc(-x / std::sqrt(2.0)), p, 3e-9) << i;
  }
}
