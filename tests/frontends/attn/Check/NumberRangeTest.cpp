// Tests numbers that the element type cannot represent.
#include "tests/frontends/attn/Check/Checked.h"

#include <gtest/gtest.h>

using namespace attnc;

namespace {

/// Returns the first line of the diagnostics, without its location.
std::string messageOf(const std::string &program,
                      const std::vector<std::pair<std::string, std::string>> &settings = {}) {
  std::string text = check(program, settings).diagnostics;
  size_t from = text.find("error: ");
  return from == std::string::npos ? text : text.substr(from + 7, text.find(" [bad-number]") - from - 7);
}

const std::string beyond = " does not fit into f32, whose largest number is 3.4028235e+38";

} // namespace

TEST(NumberRange, LiteralsThatBecomeInfiniteAreRefused) {
  EXPECT_EQ(messageOf("fn f(x: f32[n]) -> f32[n] { x + 1e300 }"), "1e+300" + beyond);
  EXPECT_EQ(messageOf("fn f(x: f32[n]) -> f32[n] { -1e39 * x }"), "-1e+39" + beyond);
  EXPECT_EQ(messageOf("const c = 1e300\nfn f(x: f32[n]) -> f32[n] { x * c }"), "1e+300" + beyond);
  EXPECT_EQ(messageOf("fn f(x: f32[n]) -> f32[n] { [i] => if x[i] > 1e300 then 0 else 1 }"), "1e+300" + beyond);
}

TEST(NumberRange, SettingsThatBecomeInfiniteAreRefused) {
  std::string program = "model M(c = 1.0) {\n  fn f(x: f32[n]) -> f32[n] { x * c }\n}\nexport f";
  EXPECT_EQ(messageOf(program, {{"c", "1e300"}}), "1e+300" + beyond);
  EXPECT_EQ(messageOf(program, {{"c", "1e38"}}), "");
}

TEST(NumberRange, InitialisersThatBecomeInfiniteAreRefused) {
  for (std::string start : {"constant(1e300)", "normal(1e300)", "uniform(0, 1e300)", "1e300"})
    EXPECT_EQ(messageOf("model M() {\n  w: f32[2] = " + start + "\n  fn f(x: f32[2]) -> f32[2] { x + w }\n}\nexport f"),
              "1e+300" + beyond)
        << start;
}

TEST(NumberRange, IntegersBeyond32BitsAreRefused) {
  EXPECT_EQ(messageOf("fn f(x: i32[n]) -> i32[n] { x + 5000000000 }"), "5000000000 does not fit into i32");
  EXPECT_EQ(messageOf("fn f(x: i32[n]) -> i32[n] { x + 2147483647 }"), "");
}

TEST(NumberRange, WhatIsInfiniteOrFitsInTheEndIsNot) {
  EXPECT_EQ(messageOf("fn f(x: f32[n]) -> f32[n] { x + inf }"), "");
  EXPECT_EQ(messageOf("fn f(x: f32[n]) -> f32[n] { x + 3.4028234e38 }"), "");
  EXPECT_EQ(messageOf("fn f(x: f32[n]) -> f32[n] { x * (1e300 * 1e-290) }"), "");
}

/// The typed program has the folded constant.
static bool foldsTo(const std::string &expression, const std::string &constant) {
  std::string text = check("fn f(x: f32[n]) -> f32[n] { x * (" + expression + ") }\nexport f").typed;
  return text.find(constant) != std::string::npos;
}

TEST(NumberRange, ConstantsFoldAsAtRunTime) {
  for (std::string expression :
       {"max(1.0, sqrt(-1.0))", "max(sqrt(-1.0), 1.0)", "min(sqrt(-1.0), 1.0)", "relu(sqrt(-1.0))", "abs(sqrt(-1.0))"})
    EXPECT_TRUE(foldsTo(expression, "nan")) << expression;
  EXPECT_TRUE(foldsTo("sq(4000000000)", "1.6e+19")) << "beyond 64 bits";
  EXPECT_TRUE(foldsTo("if 9007199254740993 != 9007199254740992 then 3.0 else 5.0", "3"));
  EXPECT_TRUE(foldsTo("if 9007199254740993 <= 9007199254740992 then 3.0 else 5.0", "5"));
  EXPECT_TRUE(foldsTo("abs(-3)", "3"));
}

TEST(NumberRange, FilledIntegersThatDoNotFitAreRefused) {
  EXPECT_EQ(messageOf("fn f(x: i32[n]) -> i32[n] { x + full(3000000000, n) }"), "3000000000 does not fit into i32");
  EXPECT_EQ(messageOf("fn f(x: i32[n]) -> i32[n] { x + full(-2147483648, n) }"), "");
}

TEST(NumberRange, NamesOfSizesThatCannotBeInferredAreThoseOfTheProgram) {
  std::string text =
      check("fn g(x: f32[n / 2]) -> f32 { sum(x) }\nfn f(x: f32[6]) -> f32 { g(x) }\nexport f").diagnostics;
  EXPECT_EQ(text.find("error: \n"), std::string::npos) << text;
}
