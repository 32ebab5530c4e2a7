// Tests models/losses.attn against closed forms.
#include "tests/frontends/attn/Import/Imported.h"
#include <cmath>
#include <numeric>

using namespace attnc;

namespace {

/// The lengths of rows that repeat their last token; a row without padding, and one of equal tokens.
TEST(Losses, LeaveOutPaddingOfTexts) {
  Array tokens = integers({3, 4}, {1, 2, 2, 2, 1, 0, 2, 1, 2, 2, 2, 2});
  EXPECT_THAT(valuesOf("use models.losses\nfn f(t: i32[b, n]) -> i32[b] { losses.text_lengths(t) }", {tokens}),
              are({2, 4, 1}));
  EXPECT_THAT(valuesOf("use models.losses\nfn f(t: i32[b, n]) -> i32[b, n] { losses.after_start(t, 9) }", {tokens}),
              are({9, 1, 2, 2, 9, 1, 0, 2, 9, 2, 2, 2}));
  // The token 2 has the probability 1/2 after each token, and the others 1/4.
  auto loss = [&](const std::string &name) {
    return valuesOf("use models.losses\nfn f(t: i32[b, n]) -> f32 {\n"
                    "  losses." +
                        name + "([i < b, s < n, c < 3] => if c == 2 then log(2.0) else 0.0, t)\n}",
                    {tokens});
  };
  EXPECT_THAT(loss("next_token_loss"), are({std::log(2) * (1 + 2 + 1 + 2) / 4}));
  EXPECT_THAT(loss("token_loss"), are({std::log(2) * (2 + 1 + 2 + 2 + 1 + 2 + 1) / 7}));
}

TEST(Losses, LeaveOutTokensWithoutALabel) {
  // The class 1 of two has the probability 1/4 at even positions, and 1/2 at odd ones.
  std::vector<double> loss = valuesOf("use models.losses\nfn f(t: i32[b, n], l: i32[b]) -> f32 {\n"
                                      "  losses.label_loss([i < b, s < n, c < 2] => if c == 0 and s % 2 == 0 then "
                                      "log(3.0) else 0.0, t, l)\n}",
                                      {integers({2, 3}, {0, 1, 1, 1, -100, 0}), integers({2}, {2, 3})});
  EXPECT_THAT(loss, are({(std::log(4.0 / 3) + std::log(2) + std::log(4) + std::log(4.0 / 3)) / 4}));
}

TEST(Losses, ComparePairs) {
  // Row i, and column j: images and texts.
  Array logits = floats({2, 2}, {std::log(3), 0, std::log(2), std::log(4)});
  auto loss = [&](const std::string &name) {
    return valuesOf("use models.losses\nfn f(x: f32[n, n]) -> f32 { losses." + name + "(x) }", {logits});
  };
  double ofImages = std::log(4.0 / 3) + std::log(6.0 / 4), ofTexts = std::log(5.0 / 3) + std::log(5.0 / 4);
  EXPECT_THAT(loss("contrastive_loss"), are({(ofImages + ofTexts) / 4}));
  EXPECT_THAT(loss("pair_loss"), are({(std::log(4.0 / 3) + std::log(2) + std::log(3) + std::log(5.0 / 4)) / 2}));
}

/// The network repeats the token that it reads, with a logit of 20, so that its loss is 20 for a hidden token, and 0
/// for one that it sees.
TEST(Losses, HideMostOfTheChosenTokens) {
  std::vector<double> tokens(64 * 64);
  std::iota(tokens.begin(), tokens.end(), 0);
  for (double &token : tokens)
    token = std::fmod(token, 31);
  auto loss = [&](const std::string &logit) {
    std::vector<double> values = valuesOf("use models.losses\nfn f(t: i32[b, n]) -> f32 {\n"
                                          "  losses.masked_loss((x, l) => [i < b, s < n, c < 32] => " +
                                              logit + ", t, 32, 31)\n}",
                                          {integers({64, 64}, tokens), integers({}, {3}), integers({}, {0})});
    return values.at(0) / 20;
  };
  // 80 % read the token 31, and 10 % another one of 32 tokens; about 610 of 4096 tokens are chosen.
  EXPECT_NEAR(loss("if c == x[i, s] then 20.0 else 0.0"), 0.8 + 0.1 * 31 / 32, 0.04);
  EXPECT_NEAR(loss("if x[i, s] == 31 and c == 31 then 20.0 else 0.0"), 0.8 + std::log(32) / 20 * 0.2, 0.05);
}

/// A network that knows that there is nothing but noise, and how much of it.
TEST(Losses, AddNoiseByTheSchedule) {
  std::vector<double> noisy(1000);
  double kept = 1;
  for (int t = 0; t < 1000; ++t) {
    kept *= 1 - (1e-4 + (0.02 - 1e-4) * t / 999);
    noisy[t] = std::sqrt(1 - kept);
  }
  auto loss = [&](const std::string &found) {
    return valuesOf("use models.losses\nfn f(x: f32[b, 2, 4, 4], noisy: f32[1000]) -> f32 {\n"
                    "  losses.noise_loss((y, t) => [i < b, c < 3, h < 4, w < 4] => if c == 2 then 9.0 else " +
                        found + ", x)\n}",
                    {floats({8, 2, 4, 4}, std::vector<double>(256)), floats({1000}, noisy), integers({}, {3}),
                     integers({}, {0})})
        .at(0);
  };
  EXPECT_NEAR(loss("y[i, c, h, w] / noisy[t[i]]"), 0, 1e-9);
  EXPECT_NEAR(loss("0.0"), 1, 0.3);
}

TEST(Losses, ReplaceSomeLabels) {
  std::vector<double> found =
      valuesOf("use models.losses\nfn f(t: i32[b]) -> i32[b] { losses.some_replaced(t, 0.1, 9) }",
               {integers({1000}, std::vector<double>(1000, 4)), integers({}, {3}), integers({}, {0})});
  auto replaced = std::count(found.begin(), found.end(), 9);
  EXPECT_NEAR(double(replaced), 100, 40);
  EXPECT_EQ(std::count(found.begin(), found.end(), 4), 1000 - replaced);
}

} // namespace
