// Tests that every size beyond 64 bits, and every tensor larger than memory, is an error at its expression.
#include "tests/frontends/attn/Check/Checked.h"

#include "frontends/attn/Check/Dim.h"
#include <gtest/gtest.h>

using namespace attnc;

namespace {

/// Returns the first line of the diagnostics of a function of x: f32[n] and t: i32[n] with this body.
std::string errorOf(const std::string &body) {
  return check("fn f(x: f32[n], t: i32[n]) -> f32[n] {\n" + body + "\n}\nexport f\n").firstLine();
}

std::string doubled(const std::string &step, int times) {
  std::string text = "  var y = x\n";
  for (int i = 0; i < times; ++i)
    text += "  " + step + "\n";
  return text + "  x + sum(y)";
}

TEST(Sizes, RemaindersOfConstants) {
  EXPECT_EQ(errorOf("  let y: f32[17 % 5] = zeros(2)\n  x"), "");
  EXPECT_EQ(errorOf("  let y: f32[17 % 0] = zeros(17)\n  x"), "") << "as at run time: a % 0 is a";
}

TEST(Sizes, QuotientsOfSizesRoundDown) {
  EXPECT_EQ(errorOf("  let y: f32[(n + 15) / 16] = [c < (n + 15) / 16] => x[16 * c]\n  x"), "");
  EXPECT_EQ(errorOf("  let y: f32[n / 16 * 16] = x[0:n / 16 * 16]\n  x"), "");
  EXPECT_EQ(errorOf("  let y: f32[n - n / 16 * 16] = zeros(n % 16)\n  x"), "");
  EXPECT_EQ(errorOf("  let y: f32[n] = [i < n] => if i == 0 then 0.0 else x[i / 2 * 2]\n  x"), "");
  EXPECT_EQ(errorOf("  let y = [c < n / 16 + 1] => x[16 * c]\n  x"),
            "a.attn:2:33: error: this subscript may reach the end: the dimension's size is n [out-of-range]");
}

TEST(Sizes, QuotientsAreTheSameForConstants) {
  const std::string program = "fn blocks(x: f32[n]) -> f32[(n + 15) / 16] { [c < (n + 15) / 16] => x[16 * c] }\n"
                              "export all = f\nfn f(x: f32[100]) -> f32[7] { blocks(x) }\n";
  EXPECT_EQ(check(program).firstLine(), "");
  EXPECT_EQ(errorOf("  const half = 7 / 2\n  x"), "a.attn:2:16: error: 7 is not divisible by 2 [inexact-division]")
      << "no size of a tensor";
  EXPECT_EQ(errorOf("  let y = zeros(n / size(t, 0) + 8 / (n - n + 2))\n  x"), "");
  EXPECT_EQ(errorOf("  let y = zeros(16 / (n + 1))\n  x"),
            "a.attn:2:17: error: 16 is not divisible by n + 1 [inexact-division]");
}

TEST(Sizes, LargeTensorsAreErrorsWhereTheyAreMade) {
  const std::string large = "this tensor is too large: ";
  EXPECT_EQ(errorOf("  x + f32(sum(iota(9223372036854775807)))"),
            "a.attn:2:15: error: the range of `i` is too large: 9223372036854775807 [bad-size]");
  EXPECT_EQ(errorOf("  x + f32(sum(iota(2147483648)))"),
            "a.attn:2:15: error: the range of `i` is too large: 2147483648 [bad-size]");
  EXPECT_EQ(errorOf("  x + f32(sum(iota(2147483647)))"), "");
  EXPECT_EQ(errorOf("  x + sum(zeros(9223372036854775807))"),
            "a.attn:2:11: error: " + large + "f32[9223372036854775807] [bad-size]");
  EXPECT_EQ(errorOf("  x + sum(zeros(2147483647, 2147483647))"),
            "a.attn:2:11: error: " + large + "f32[2147483647, 2147483647] [bad-size]");
  EXPECT_EQ(errorOf("  [i] => x[i] + sum j < 9223372036854775807 => x[i]"),
            "a.attn:2:21: error: the range of `j` is too large: 9223372036854775807 [bad-size]");
  EXPECT_EQ(errorOf("  [i] => x[i] + sum j < n * 4294967296 => x[i]"),
            "a.attn:2:21: error: the range of `j` is too large: 4294967296*n [bad-size]");
  EXPECT_EQ(errorOf("  let y: f32[2147483647, 2147483647, n] = zeros(1)\n  x"),
            "a.attn:2:10: error: " + large + "[2147483647, 2147483647, n] [bad-size]");
}

TEST(Sizes, RepeatedConcatenationIsAnErrorAtTheStepThatIsTooMuch) {
  EXPECT_EQ(errorOf(doubled("y = concat(y, y)", 30)), "");
  EXPECT_EQ(errorOf(doubled("y = concat(y, y)", 70)),
            "a.attn:33:7: error: this tensor is too large: f32[2147483648*n] [bad-size]");
}

TEST(Sizes, NumbersBeyond64BitsAreErrors) {
  const std::string beyond = "error: this number is beyond 64 bits [bad-size]";
  EXPECT_EQ(errorOf("  const c = 4611686018427387904 * 4\n  x"), "a.attn:2:13: " + beyond);
  EXPECT_EQ(errorOf("  const c = 9223372036854775807 + 1\n  x"), "a.attn:2:13: " + beyond);
  EXPECT_EQ(errorOf("  const c = 0 - 9223372036854775807 - 2\n  x"), "a.attn:2:13: " + beyond);
  EXPECT_EQ(errorOf("  const c = 10 ** 30\n  x"), "a.attn:2:13: " + beyond);
  EXPECT_EQ(errorOf("  const c = 2 ** 62\n  x"), "");
}

TEST(Sizes, PowersOfSumsEnd) {
  Dim sum = Dim::symbol("a") + Dim::symbol("b") + Dim::symbol("c") + Dim::symbol("d") + Dim(1), power(1);
  for (int i = 0; i < 62; ++i)
    power = power * sum;
  EXPECT_TRUE(power.isSaturated());
}

TEST(Sizes, ShapesThatMemoryCanHave) {
  Dim n = Dim::symbol("n"), most(INT32_MAX);
  EXPECT_TRUE(canHaveShape({n, most, Dim(1 << 24)}));
  EXPECT_FALSE(canHaveShape({n, most, most}));
  EXPECT_FALSE(canHaveShape({n * Dim(int64_t(1) << 31)}));
  EXPECT_TRUE(canHaveShape({n * most}));
  EXPECT_FALSE(canHaveShape({Dim(INT64_MAX)}));
  EXPECT_FALSE(canHaveShape({Dim(INT64_MIN)}));
  EXPECT_FALSE(canHaveShape({n - most - most}));
  EXPECT_TRUE(canHaveShape({}));
}

} // namespace
