// Tests bounds of dimensions (`n <= 5`): in types of entry points' parameters, and of functions that are called.
#include "tests/frontends/attn/Check/Checked.h"

#include <gtest/gtest.h>

using namespace attnc;

namespace {

/// Returns the dimensions of the exported function f as in dumps, or the first line of the diagnostics.
std::string dimensionsIn(const std::string &function) {
  Checked checked = check(function + "\nexport f\n");
  size_t begin = checked.typed.find(") ");
  return checked.typed.empty() ? checked.firstLine()
                               : checked.typed.substr(begin + 2, checked.typed.find(" {", begin) - begin - 2);
}

/// The same for a function with these parameters.
std::string dimensionsOf(const std::string &parameters) {
  return dimensionsIn("fn f(" + parameters + ") -> f32 { sum(a) }");
}

/// The same for a function of a: f32[n] and b: f32[m] with this body.
std::string dimensionsFor(const std::string &body) {
  return dimensionsIn("fn f(a: f32[n], b: f32[m]) -> f32 { " + body + " }");
}

TEST(Bounds, TheSmallestOfSeveralHolds) {
  EXPECT_EQ(dimensionsOf("a: f32[n], b: f32[n <= 5]"), "n <= 5");
  EXPECT_EQ(dimensionsOf("a: f32[n <= 5], b: f32[n <= 7]"), "n <= 5");
  EXPECT_EQ(dimensionsOf("a: f32[n <= 7], b: f32[n <= 5], c: f32[n]"), "n <= 5");
  EXPECT_EQ(dimensionsOf("a: f32[n <= 0]"), "n <= 0");
}

TEST(Bounds, OfALinearSizeBoundItsDimension) {
  EXPECT_EQ(dimensionsOf("a: f32[2*n <= 7], b: f32[n]"), "n <= 3");
  EXPECT_EQ(dimensionsOf("a: f32[n], b: f32[3*n + 1 <= 10]"), "n <= 3");
  EXPECT_EQ(dimensionsOf("a: f32[n], b: f32[n - 2 <= 10]"), "2 <= n <= 12");
  EXPECT_EQ(dimensionsOf("a: f32[2 <= 2, n]"), "n");
}

TEST(Bounds, OfSizesThatAreInferred) {
  EXPECT_EQ(dimensionsOf("a: f32[2 * n]"), "n");
  EXPECT_EQ(dimensionsOf("a: f32[2 * n + 1 <= 9]"), "n <= 4");
  EXPECT_EQ(dimensionsOf("a: f32[n - 4]"), "4 <= n");
  EXPECT_EQ(dimensionsOf("a: f32[n / 2 - 2], b: f32[n]"), "4 <= n");
  EXPECT_EQ(dimensionsOf("a: f32[rows * columns], b: f32[columns], c: f32[rows]"), "rows columns");
}

TEST(Bounds, ThatCannotBeDeclaredAreErrors) {
  EXPECT_EQ(dimensionsOf("a: f32[n, m], b: f32[n*m <= 64]"),
            "a.attn:1:27: error: an entry point cannot bound the size m*n, which is not a*n + b with a > 0 for one "
            "dimension n [not-supported]");
  EXPECT_EQ(dimensionsOf("a: f32[n], b: f32[5 - n <= 4]"),
            "a.attn:1:24: error: an entry point cannot bound the size 5 - n, which is not a*n + b with a > 0 for one "
            "dimension n [not-supported]");
  EXPECT_EQ(dimensionsOf("a: f32[n], b: f32[n + 3 <= 2]"),
            "a.attn:1:24: error: no size of `n` is within the bound 2 [bad-size]");
  EXPECT_EQ(dimensionsOf("a: f32[n <= -1]"), "a.attn:1:13: error: no size of `n` is within the bound -1 [bad-size]");
  EXPECT_EQ(dimensionsOf("a: f32[n], b: f32[4 <= 3]"), "a.attn:1:24: error: `4` is 4, more than 3 [bound-exceeded]");
}

TEST(Bounds, HoldForResultsLetsAndParameters) {
  EXPECT_EQ(check("fn f(x: f32[n <= 4]) -> f32[n <= 4] { let y: f32[n <= 5] = x\n y }\nexport f\n").firstLine(), "");
  EXPECT_EQ(check("fn f(x: f32[n]) -> f32[n <= 4] { x }\nexport f\n").firstLine(),
            "a.attn:1:24: error: `n` must be at most 4, and n may be more [bound-exceeded]");
  EXPECT_EQ(check("fn f(x: f32[n]) -> f32[n] { let y: f32[n <= 4] = x\n y }\nexport f\n").firstLine(),
            "a.attn:1:40: error: `n` must be at most 4, and n may be more [bound-exceeded]");
  EXPECT_EQ(
      check("model M(dim = 9) {\n w: f32[dim <= 4] = ones\n fn f(x: f32[dim]) -> f32[dim] { x * w }\n}\n").firstLine(),
      "a.attn:2:9: error: `dim` is 9, more than 4 [bound-exceeded]");
  // `..` stands for two dimensions, one and none.
  for (const char *sizes : {"2, 3, 8", "2, 8", "8"})
    EXPECT_EQ(check(std::string("fn g(x: f32[.., n]) -> f32[.., n <= 4] { x }\nfn f(x: f32[") + sizes + "]) -> f32[" +
                    sizes + "] { g(x) }\nexport f\n")
                  .firstLine(),
              "a.attn:1:32: error: `n` is 8, more than 4 [bound-exceeded]");
  EXPECT_EQ(check("fn g(x: f32[.., n], y: f32[a, b, c, d, n]) -> f32[.., .., n <= 4] { y }\n"
                  "fn f(x: f32[2, 3, 8], y: f32[2, 3, 2, 3, 8]) -> f32[2, 3, 2, 3, 8] { g(x, y) }\nexport f\n")
                .firstLine(),
            "a.attn:1:59: error: `n` is 8, more than 4 [bound-exceeded]");
}

/// The subscript is in range under its condition only if n is at least 1.
TEST(Bounds, ASubscriptUnderAConditionRaisesMinima) {
  auto dimensions = [](const char *condition) {
    return dimensionsIn(std::string("fn f(a: f32[n], b: f32[m]) -> f32[m] { [i < m] => if ") + condition +
                        " then a[n - 1 - i] else b[i] }");
  };
  EXPECT_EQ(dimensions("i <= 0"), "1 <= n m");
  EXPECT_EQ(dimensions("i < n"), "n m");
}

TEST(Bounds, NoSizeIsNegative) {
  EXPECT_EQ(dimensionsFor("sum i < n - 1 => a[i + 1]"), "1 <= n m");
  EXPECT_EQ(dimensionsFor("sum i < n - 5 => a[i]"), "5 <= n m");
  EXPECT_EQ(dimensionsFor("sum i < 3*n - 5 => a[i / 3]"), "2 <= n m");
  EXPECT_EQ(dimensionsFor("let (c, d) = split(a, [1, n - 1])\n sum(c) + sum(d)"), "1 <= n m");
  EXPECT_EQ(dimensionsFor("sum(zeros(n + m - 1)) + sum(a)"), "1 <= n m");
  EXPECT_EQ(dimensionsFor("scan t over n - 1 carry (h = 0.0) { h = h + a[t] } -> h"), "1 <= n m");
}

TEST(Bounds, RemaindersNeedADivisorOfAtLeastOne) {
  EXPECT_EQ(dimensionsFor("sum i < m => a[i % n]"), "1 <= n m");
  EXPECT_EQ(dimensionsFor("sum i < m => a[i % 1]"), "1 <= n m");
  EXPECT_EQ(dimensionsFor("sum i < m => a[i / 0]"), "1 <= n m") << "a quotient by zero is zero";
  EXPECT_EQ(dimensionsFor("sum i < n => a[i % 0]"), "n m") << "a remainder by zero is the dividend";
  EXPECT_NE(dimensionsFor("sum i < m => a[i % 0]").find("[out-of-range]"), std::string::npos);
}

/// Returns the first line of the diagnostics of a call with a tensor of `size` elements.
std::string errorOfCall(const std::string &parameters, const std::string &arguments) {
  return check("fn g(" + parameters + ") -> f32 { sum(x) }\nfn f(a: f32[8], b: f32[4]) -> f32 { g(" + arguments +
               ") }\nexport f\n")
      .firstLine();
}

TEST(Bounds, AreCheckedWhereADimensionIsSolvedFor) {
  EXPECT_EQ(errorOfCall("x: f32[2*n <= 8]", "a"), "");
  EXPECT_EQ(errorOfCall("x: f32[2*n <= 6]", "a"), "a.attn:2:39: error: `8` is 8, more than 6 [bound-exceeded]");
  EXPECT_EQ(errorOfCall("x: f32[2*n <= 6], y: f32[n]", "a, b"),
            "a.attn:2:39: error: `8` is 8, more than 6 [bound-exceeded]");
  EXPECT_EQ(errorOfCall("x: f32[n], y: f32[n <= 3]", "b, b"),
            "a.attn:2:42: error: `n` is 4, more than 3 [bound-exceeded]");
}

} // namespace
