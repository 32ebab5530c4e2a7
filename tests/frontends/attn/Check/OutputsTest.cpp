// Tests outputs of attend: the shapes of its results, and errors.

#include "tests/frontends/attn/Check/Checked.h"

#include <gtest/gtest.h>

using namespace attnc;

namespace {

/// Returns the first line of the diagnostics of an attend over h, i and j that yields `yields`.
std::string messageOfOutputs(const std::string &yields, const std::string &rest = ", value: q[h, j]",
                             const char *after = "") {
  std::string text = "fn f(q: f32[heads, n, d]) -> f32 {\n  let a = [h, i] => attend j { score: dot(q[h, i], q[h, j])" +
                     rest + " } yields " + yields + "\n  sum(f32(a))\n}\n" + after;
  return check(text).firstLine();
}

TEST(Outputs, HaveTheShapesOfTheirRows) {
  Checked checked = check(
      "fn f(q: f32[h, n, d]) -> (e: f32[h, n], best: i32[h, n, 3], share: f32[h, n, 3], mass: f32[h, n], all: f32[n]) "
      "{\n"
      "  let (e, best, share, mass) = [g, i] => attend j { score: dot(q[g, i], q[g, j]) } yields (entropy, top(3), "
      "top_weights(3), key_sums(i))\n"
      "  let (y, total) = [g, i] => attend j { score: dot(q[g, i], q[g, j]), value: 1.0 } yields (value, key_sums(i, "
      "g))\n"
      "  (e, best, share, mass, total)\n}");
  EXPECT_EQ(checked.diagnostics, "");
}

TEST(Outputs, ASumOfKeysIsARowToEachQuery) {
  EXPECT_EQ(check("fn f(q: f32[n, d]) -> f32[n, n] {\n  [i] => 2.0 * attend j { score: dot(q[i], q[j]), value: 1.0 } "
                  "yields key_sums(i)\n}")
                .diagnostics,
            "");
}

TEST(Outputs, BelongToNormalisersThatHaveThem) {
  EXPECT_EQ(messageOfOutputs("lse", ", by: ratio"),
            "a.attn:2:81: error: only `softmax` has a log of the sum of exponentials [bad-yield]");
  EXPECT_EQ(
      messageOfOutputs("entropy", ", by: none"),
      "a.attn:2:80: error: `entropy` is not implemented for the attention weights of this normaliser [bad-yield]");
  EXPECT_EQ(
      messageOfOutputs("entropy", ", by: hard"),
      "a.attn:2:80: error: `entropy` is not implemented for the attention weights of this normaliser [bad-yield]");
  EXPECT_EQ(messageOfOutputs("top(2)", ", by: stick_breaking"),
            "a.attn:2:90: error: the largest scores do not have the largest weights [bad-yield]");
  EXPECT_EQ(messageOfOutputs("key_sums(i)", ", weight: w => w * w, renormalise: true"),
            "a.attn:2:95: error: `key_sums` sums attention weights over rows, before `renormalise` divides each row "
            "[bad-yield]");
}

TEST(Outputs, TakeWhatTheyNeed) {
  EXPECT_EQ(messageOfOutputs("median"), "a.attn:2:86: error: `attend` does not yield `median` [bad-yield]");
  EXPECT_EQ(messageOfOutputs("top"), "a.attn:2:86: error: `top` needs the number of keys [bad-yield]");
  EXPECT_EQ(messageOfOutputs("top(0)"),
            "a.attn:2:90: error: the number of keys must be at least 1, but is 0 [bad-yield]");
  EXPECT_EQ(messageOfOutputs("(top(2), top_weights(3))"),
            "a.attn:2:107: error: this `attend` yields 2 keys already [bad-yield]");
  EXPECT_EQ(messageOfOutputs("(value, value)"), "a.attn:2:94: error: `value` is yielded twice [bad-yield]");
  EXPECT_EQ(messageOfOutputs("(logp, value, logp)", ", by: sample, value: q[h, j]"),
            "a.attn:2:112: error: `logp` is yielded twice [bad-yield]");
  EXPECT_EQ(messageOfOutputs("entropy(2)"), "a.attn:2:86: error: `entropy` takes no arguments [bad-yield]");
  EXPECT_EQ(messageOfOutputs("key_sums"),
            "a.attn:2:86: error: `key_sums` needs the indices over which the attention weights of "
            "a key are summed [bad-yield]");
  EXPECT_NE(messageOfOutputs("key_sums(2)").find("`key_sums` sums over indices around `attend`, but this is"),
            std::string::npos);
}

TEST(Outputs, NoGradientPassesThroughNumbersOfKeys) {
  const char *gradient = "export g = gradient(f)\n";
  EXPECT_EQ(messageOfOutputs("top(2)", "", gradient),
            "a.attn:3:7: error: no gradient passes through the keys of `top`, which are positions [no-gradient]");
  EXPECT_EQ(messageOfOutputs("top_weights(2)", "", gradient), "");
  EXPECT_EQ(
      check("fn f(q: f32[n, d], t: f32[n]) -> f32 {\n  let (best, w) = [i] => attend j { score: dot(q[i], q[j]) } "
            "yields (top(2), top_weights(2))\n  sum([i, r] => t[best[i, r]] * w[i, r])\n}\nexport g = gradient(f)\n")
          .diagnostics,
      "")
      << "as subscripts they are constants, as all subscripts";
}

} // namespace
