// Tests the checks of `gradient(f, x)`.
#include "tests/frontends/attn/Check/Checked.h"

#include <gtest/gtest.h>

using namespace attnc;

namespace {

/// Returns the diagnostics of a function of x and y: f32[n, m] and k: i32[n] that returns `code`.
std::string diagnosticsOf(const std::string &code, const std::string &around = "") {
  return diagnosticsWith("fn f(x: f32[n, m], y: f32[n, m], k: i32[n]) -> f32[n, m] {\n  CODE\n}\nexport f\n" + around,
                         "CODE", code);
}

TEST(Gradients, OfLambdasAndFunctions) {
  EXPECT_EQ(diagnosticsOf("gradient(z => sum(z * y), x)"), "");
  EXPECT_EQ(diagnosticsOf("gradient(cost, x)", "fn cost(x: f32[a, b], scale = 2.0) -> f32 { scale * sum(sq(x)) }\n"),
            "");
  EXPECT_EQ(diagnosticsOf("x * gradient(z => exp(z), 0.5)"), "");
}

TEST(Gradients, NeedOneNumber) {
  EXPECT_EQ(diagnosticsOf("gradient(z => z * y, x)"),
            "a.attn:2:12: error: the function returns f32[n, m], and a gradient needs one f32 [dim-mismatch]\n"
            "    2 |   gradient(z => z * y, x)\n"
            "      |            ^~~~~~~~~~\n"
            "  hint: return the sum or the mean of these elements\n");
}

TEST(Gradients, NeedAFunctionOfOneTensorOfF32) {
  EXPECT_NE(diagnosticsOf("gradient(3.0, x)").find("`3.0` is a number, and cannot be called [not-callable]"),
            std::string::npos);
  EXPECT_NE(diagnosticsOf("gradient((z, w) => sum(z), x)").find("takes 2 arguments, but is called with 1"),
            std::string::npos);
  EXPECT_NE(diagnosticsOf("gradient(z => sum(z), k)").find("`gradient` needs f32, but this is i32 [element-mismatch]"),
            std::string::npos);
}

TEST(Gradients, AreNotTakenOfElementsOfIndexNotation) {
  EXPECT_NE(diagnosticsOf("[i] => gradient(z => sum(z), x[i])").find("is not supported yet [not-supported]"),
            std::string::npos);
  EXPECT_NE(diagnosticsOf("[i, j] => gradient(z => sum(z) * y[i, j], x)[i, j]").find("is not supported yet"),
            std::string::npos);
}

/// Only the variable of `gradient` has a gradient in its function. After the function, it is a constant.
TEST(Gradients, PassThroughOperationsWithoutJumps) {
  EXPECT_NE(diagnosticsOf("gradient(z => f32(argmax(z[0], axis: 0)), x)")
                .find("no gradient passes through `argmax`, and its argument depends on the inputs of the gradient"),
            std::string::npos);
  EXPECT_EQ(diagnosticsOf("gradient(z => sum(z[argmax(y[:, 0], axis: 0)]), x)"), "");
  EXPECT_EQ(diagnosticsOf("x", "fn g(x: f32[n]) -> f32 { f32(argmax(gradient(z => sum(sq(z)), x), axis: 0)) * x[0] }\n"
                               "export h = gradient(g)\n"),
            "");
  EXPECT_NE(diagnosticsOf("x", "fn g(x: f32[n]) -> f32 { sum(gradient(z => sum(z), x)) + f32(argmax(x, axis: 0)) }\n"
                               "export h = gradient(g)\n")
                .find("no gradient passes through `argmax`"),
            std::string::npos);
}

/// Results of scans around the function are constants in it, also if an operation with a jump reads them.
TEST(Gradients, ReadOtherTensorsAsConstants) {
  EXPECT_EQ(diagnosticsOf("let h = scan t over m carry (s = y[:, 0]) { s = s + y[:, t] } -> s\n"
                          "  gradient(z => sum(z[argmax(h, axis: 0)]), x)"),
            "");
}

TEST(Gradients, NameTheCauseInTrainingSteps) {
  EXPECT_NE(check("use optim\nmodel M() {\n  w: f32 = zeros\n  fn loss(x: f32[n]) -> f32 {\n"
                  "    w * sum(gradient(z => f32(argmax(z, axis: 0)), x))\n  }\n}\n"
                  "export train = minimize(loss, with: optim.sgd(lr: 0.1))\n")
                .diagnostics.find("its argument depends on the inputs of the gradient"),
            std::string::npos);
}

TEST(Gradients, AreNotTakenInIncrementalInference) {
  EXPECT_NE(check("fn f(x: f32[batch, seq]) -> f32[batch, seq] { gradient(z => sum(sq(z)), x) }\n"
                  "export next = incremental(f, along: seq)\n")
                .diagnostics.find("`gradient` in incremental inference is not supported yet"),
            std::string::npos);
}

} // namespace
