// Tests `gradient(f, x)` in functions against entry points that compute the same gradients.
#include "compiler/Derive/Derive.h"
#include "mlir/Pass/PassManager.h"
#include "tests/compiler/Derive/Derived.h"

using namespace attnc;

namespace {

/// Runs the derive phase, after which no op of `gradient` is left.
void expectDerived(mlir::ModuleOp module) {
  mlir::PassManager passes(module.getContext());
  buildDerivePipeline(passes);
  EXPECT_TRUE(succeeded(passes.run(module)));
  module.walk([](mlir::Operation *op) {
    EXPECT_FALSE((mlir::isa<mlir::attn::VariableOp, mlir::attn::GradientOp>(op))) << "an op of `gradient` is left";
  });
}

/// Derives the entry points of a program, and returns the results of the entry point `name`.
std::vector<Array> results(const std::string &text, const std::string &name, llvm::ArrayRef<Array> inputs) {
  Imported imported(text);
  if (!imported.module)
    return {};
  expectDerived(*imported.module);
  auto found = interpret(imported.module->lookupSymbol<mlir::func::FuncOp>(name), inputs);
  EXPECT_TRUE(bool(found)) << llvm::toString(found.takeError());
  return found ? *found : std::vector<Array>();
}

void expectNear(const Array &found, const Array &expected) {
  ASSERT_EQ(found.values.size(), expected.values.size());
  ASSERT_FALSE(found.values.empty());
  for (size_t element = 0; element < found.values.size(); ++element)
    EXPECT_NEAR(found.values[element], expected.values[element], 1e-9) << "element " << element;
}

/// Expects that `gradient(x => f(x, c), x)` is the gradient that `export g = gradient(f)` computes.
void expectAsEntry(const std::string &f, const std::vector<Array> &inputs, const std::string &shape = "n, 3") {
  std::string text = f + "\nfn nested(x: f32[" + shape + "], c: f32[" + shape + "]) -> f32[" + shape +
                     "] { gradient(z => f(z, c), x) }\nexport nested\nexport g = gradient(f)\n";
  std::vector<Array> nested = results(text, "nested", inputs), entry = results(text, "g", inputs);
  ASSERT_EQ(nested.size(), 1u);
  ASSERT_EQ(entry.size(), 3u);
  expectNear(nested[0], entry[1]);
}

/// Expects that the functions with the bodies `a` and `b` have the same gradient with respect to x.
void expectSame(const std::string &a, const std::string &b) {
  auto gradients = [](const std::string &body) {
    return results("fn f(x: f32[n, 3], c: f32[n, 3]) -> f32 { " + body + " }\nexport g = gradient(f)", "g",
                   {draw({4, 3}), draw({4, 3}, 2)});
  };
  std::vector<Array> ofA = gradients(a), ofB = gradients(b);
  ASSERT_EQ(ofA.size(), 3u);
  ASSERT_EQ(ofB.size(), 3u);
  expectNear(ofA[0], ofB[0]);
  expectNear(ofA[1], ofB[1]);
}

TEST(NestedGradient, Arithmetic) {
  expectAsEntry("fn f(x: f32[n, 3], c: f32[n, 3]) -> f32 { sum(exp(x) * c + sq(x @ c')[:, 0:1]) }",
                {draw({4, 3}), draw({4, 3}, 2)});
}

TEST(NestedGradient, Attention) {
  expectAsEntry("fn f(x: f32[n, 3], c: f32[n, 3]) -> f32 {\n"
                "  sum(sq([i] => attend j { score: dot(x[i], c[j]), mask: j <= i, value: x[j] })) }",
                {draw({4, 3}), draw({4, 3}, 2)});
}

TEST(NestedGradient, TimeSteps) {
  expectAsEntry("fn f(x: f32[b, n, 3], c: f32[b, n, 3]) -> f32 {\n"
                "  let h = scan t over n carry (h = x[:, 0]) { h = tanh(x[:, t] + h * c[:, t]) } -> h[:, t]\n"
                "  sum(sq(h)) }",
                {draw({2, 4, 3}), draw({2, 4, 3}, 2)}, "b, n, 3");
}

TEST(NestedGradient, InEachTimeStep) {
  const char *text = "fn f(x: f32[n]) -> f32[n] {\n"
                     "  let y = scan t over 3 carry (y = x) { y = y - 0.5 * gradient(z => sum(sq(z) + z), y) } -> y\n"
                     "  y }\n"
                     "export f\n";
  Array x = draw({4});
  std::vector<Array> found = results(text, "f", {x});
  ASSERT_EQ(found.size(), 1u);
  for (double element : found[0].values)
    EXPECT_NEAR(element, -0.5, 1e-12); // the minimum, which one time step reaches
}

TEST(NestedGradient, IsAConstantForOtherGradients) {
  expectSame("sum(sq(x + 0.5 * gradient(z => sum(exp(z) * c), x)))", "sum(sq(x + 0.5 * stop(exp(x) * c)))");
  expectSame("sum(x * gradient(z => sum(sq(z)) / 2.0, x))", "sum(x * stop(x))");
}

/// Both variables have the value of x. Only the inner gradient, c, is a constant for the outer one.
TEST(NestedGradient, KeepsEqualVariablesApart) {
  const char *text =
      "fn f(x: f32[n]) -> f32[n] { gradient(a => sum(a * gradient(b => sum(a * b), x)), x) }\nexport f\n";
  Array x = draw({4});
  std::vector<Array> found = results(text, "f", {x});
  ASSERT_EQ(found.size(), 1u);
  expectNear(found[0], x);
}

TEST(NestedGradient, OfANumberThatDoesNotDependOnTheVariableIsZero) {
  std::vector<Array> found =
      results("fn f(x: f32[n]) -> f32[n] { gradient(z => sum(x), x) }\nexport f\n", "f", {draw({4})});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].values, std::vector<double>(4, 0.0));
}

/// The state update keeps the variable alive after the gradient, which nothing reads.
TEST(NestedGradient, ThatIsNotReadLeavesNoVariable) {
  Imported imported("use optim\nmodel M() {\n  w: f32 = zeros\n  state seen: f32 = zeros\n"
                    "  fn track(x: f32[n]) -> f32 { seen <- mean(x)\n    sum(sq(x)) }\n"
                    "  fn loss(x: f32[n]) -> f32 { let g = gradient(track, x)\n    mean(w * x) }\n}\n"
                    "export train = minimize(loss, with: optim.sgd(lr: 0.1))\n");
  ASSERT_TRUE(imported.module);
  expectDerived(*imported.module);
}

TEST(NestedGradient, InTheStepOfAnOptimizer) {
  Imported imported("optimizer decaying(lr) {\n"
                    "  step(p, g, t) { p <- p - lr(t) * (g + gradient(q => 0.5 * sum(sq(q)), p)) }\n}\n"
                    "model M() {\n  w: f32[3] = zeros\n  fn loss(x: f32[3]) -> f32 { sum(w * x) }\n}\n"
                    "export train = minimize(loss, with: decaying(lr: 0.1))\n");
  ASSERT_TRUE(imported.module);
  expectDerived(*imported.module);
}

/// The gradient is that of the function with the given attention weights.
TEST(NestedGradient, HasNoAttentionMapOfItsOwn) {
  Imported imported("fn f(x: f32[n, 3]) -> f32[n, 3] {\n"
                    "  gradient(z => sum(sq([i] => attend j { score: dot(z[i], z[j]), value: z[j] })), x) }\n"
                    "export maps = attention(f)\n");
  ASSERT_TRUE(imported.module);
  expectDerived(*imported.module);
  auto maps = imported.module->lookupSymbol<mlir::func::FuncOp>("maps");
  EXPECT_EQ(maps.getNumResults(), 1u);
}

} // namespace
