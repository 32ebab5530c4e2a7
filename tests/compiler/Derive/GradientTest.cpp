// Tests gradients of single constructs.
#include "compiler/Derive/Derive.h"
#include "dialects/Attn/Attn.h"
#include "mlir/Pass/PassManager.h"
#include "tests/compiler/Derive/Derived.h"

using namespace attnc;

namespace {

/// Returns the gradient with respect to x of the entry point `g` of a program.
std::vector<double> gradientByX(const std::string &body, llvm::ArrayRef<Array> inputs) {
  Imported imported("use nn\nfn f(x: f32[n, 3], c: f32[n, 3]) -> f32 { " + body + " }\nexport g = gradient(f)");
  mlir::PassManager passes(imported.module->getContext());
  buildDerivePipeline(passes);
  EXPECT_TRUE(succeeded(passes.run(*imported.module)));
  imported.module->walk([](mlir::attn::StopOp stop) {
    EXPECT_TRUE(stop->getParentOfType<mlir::attn::AttendGradientOp>()) << "a stop is left";
  });
  auto found = interpret(imported.module->lookupSymbol<mlir::func::FuncOp>("g"), inputs);
  EXPECT_TRUE(bool(found)) << llvm::toString(found.takeError());
  return found ? (*found)[1].values : std::vector<double>();
}

/// Tests a function of x and y: f32[n, 3] with a scalar expression as its body.
void expectBody(const std::string &body) {
  Derived("use nn\nfn f(x: f32[n, 3], y: f32[n, 3]) -> f32 { " + body + " }", {draw({4, 3}), draw({4, 3}, 2)})
      .expectDifferences();
}

TEST(Gradient, Arithmetic) { expectBody("sum(x * y + x / (sq(y) + 2.0) - 3.0 * x)"); }
TEST(Gradient, Functions) {
  expectBody("sum(exp(x) * tanh(y) + sin(x) * cos(y) + log(1.0 + sq(x)) + sqrt(sq(x) + 1.0) / (abs(y) + 1.0))");
}
TEST(Gradient, Gelu) { expectBody("sum(gelu(x) * erf(y))"); }
TEST(Gradient, Power) { expectBody("sum((sq(x) + 1.0) ** 1.7 + (sq(x) + 1.0) ** y)"); }
TEST(Gradient, Choice) {
  expectBody("sum(max(x, y) * min(x, 0.5) + [i, j] => if x[i, j] > 0.1 then y[i, j] else x[i, j])");
}
/// e^-x overflows at -1000; 0 is the kink of the formula that avoids the overflow.
TEST(Gradient, OfSaturatedSigmoids) {
  Array x = draw({1, 3}), c = draw({1, 3}, 2);
  x.values = {-1000, 0, 1000};
  EXPECT_EQ(gradientByX("sum(4.0 * sigmoid(x))", {x, c}), (std::vector<double>{0, 1, 0}));
  EXPECT_EQ(gradientByX("sum(softplus(x))", {x, c}), (std::vector<double>{0, 0.5, 1}));
}
TEST(Gradient, BroadcastOperandSumsOverWhatItLacks) {
  Derived("fn f(x: f32[n, 3], y: f32[3], z: f32) -> f32 { sum(sq(x * y + z)) }", {draw({4, 3}), draw({3}), draw({})})
      .expectDifferences();
}
TEST(Gradient, ReductionsAlongAnAxis) {
  expectBody("sum(sum(x * y, axis: 0) * max(x, axis: 0)) + sum(min(y, axis: 1)) + mean(sq(x))");
}
TEST(Gradient, ProductWithAZeroTerm) {
  Array x = draw({4, 3});
  x.values[4] = 0;
  Derived("fn f(x: f32[n, 3]) -> f32 { sum(prod(x, axis: 1)) }", {x}).expectDifferences();
}
TEST(Gradient, Draws) {
  Array seed(Element::I32, {}), step(Element::I32, {});
  seed.values = {5}, step.values = {9};
  Derived("fn f(x: f32[n, 3], k: f32[m, 3]) -> f32 {\n"
          "  let y = [i] => attend j { score: dot(x[i], k[j]), weight: w => if random(w) < 0.4 then 0.0 else w / 0.6,\n"
          "                            value: k[j] }\n"
          "  sum(sq(if random(y) < 0.3 then 0.0 else y)) + sum(random(x) * exp(x)) }",
          {draw({4, 3}), draw({5, 3}, 2), seed, step})
      .expectDifferences();
}
TEST(Gradient, StopIsAConstant) {
  Array x = draw({4, 3});
  auto expectAsWith = [&](const char *stopped, const char *constant) {
    std::vector<double> found = gradientByX(stopped, {x, x}), requested = gradientByX(constant, {x, x});
    ASSERT_EQ(found.size(), 12u);
    for (size_t element = 0; element < found.size(); ++element)
      EXPECT_NEAR(found[element], requested[element], 1e-9) << stopped << ", element " << element;
  };
  expectAsWith("sum(stop(x) * exp(x)) + sum(stop(sq(c) * x))", "sum(c * exp(x)) + sum(stop(sq(c)))");
  expectAsWith("sum(sq([i] => attend j { score: dot(x[i], stop(x[j])), value: x[j] }))",
               "sum(sq([i] => attend j { score: dot(x[i], c[j]), value: x[j] }))");
  expectAsWith("sum(sq([i] => attend j { score: dot(x[i], x[j]), weight: w => stop(w) * x[j, 0], value: c[j] }))",
               "sum(sq([i] => attend j { score: stop(dot(x[i], x[j])), weight: w => w * x[j, 0], value: c[j] }))");
}
TEST(Gradient, MatrixProducts) { expectBody("sum(sq(x @ y')) + sum((x' @ y) @ (y' @ x))"); }
TEST(Gradient, Views) {
  expectBody("sum(sq(concat(x[1:, 0:2], y[1:, 1:], axis: 1))) + sum(reshape(x, [n * 3]) * reshape(y', [n * 3]))");
}
TEST(Gradient, GatherAddsToEveryRowThatItReads) {
  Derived("model M(vocab = 5) { table: f32[vocab, 3] = normal(1.0)\n"
          "  fn f(at: i32[n]) -> f32 { sum(sq(table[at])) + sum(exp(table[at])) } }",
          {drawBelow(5, {7})})
      .expectDifferences();
}
TEST(Gradient, TableThatIsReadByRowsAndAsAMatrix) {
  Derived("model M(vocab = 5) { table: f32[vocab, 3] = normal(1.0)\n"
          "  fn f(at: i32[n]) -> f32 { sum(exp(table[at] @ table')) } }",
          {drawBelow(5, {7})})
      .expectDifferences();
}
TEST(Gradient, ShiftedSubscript) { expectBody("sum([i, j] => (if i >= 1 then x[i - 1, j] else 0.0) * y[i, j])"); }
TEST(Gradient, Attention) {
  Derived("fn f(q: f32[n, 4], k: f32[m, 4], v: f32[m, 3], bias: f32[n, m]) -> f32 {\n"
          "  sum(sq([i] => attend j { score: dot(q[i], k[j]) / 2.0 + bias[i, j], mask: j <= i + 1, value: v[j] })) }",
          {draw({3, 4}), draw({5, 4}, 2), draw({5, 3}, 3), draw({3, 5}, 4)})
      .expectDifferences();
}
TEST(Gradient, LoopOverAListOfModules) {
  Derived("module Layer(dim) { w: f32[dim, dim]\n b: f32[dim]\n fn (x: f32[n, dim]) -> f32[n, dim] { x + tanh(x @ w + "
          "b) } }\n"
          "model M(dim = 3) { first: f32[dim]\n layers: [Layer(dim); 4]\n"
          "  fn f(x: f32[n, dim]) -> f32 { var y = x * first\n for layer in layers { y = layer(y) + first }\n "
          "sum(sq(y)) } }",
          {draw({2, 3})})
      .expectDifferences();
}
TEST(Gradient, LoopWithinALoop) {
  Derived("module Inner(dim) { w: f32[dim]\n fn (x: f32[n, dim]) -> f32[n, dim] { tanh(x * w) } }\n"
          "module Outer(dim) { inner: [Inner(dim); 2]\n g: f32[dim]\n"
          "  fn (x: f32[n, dim]) -> f32[n, dim] { var y = x\n for each in inner { y = each(y) }\n y * g + x } }\n"
          "model M(dim = 3) { outer: [Outer(dim); 3]\n"
          "  fn f(x: f32[n, dim]) -> f32 { var y = x\n for each in outer { y = each(y) }\n sum(sq(y)) } }",
          {draw({2, 3})})
      .expectDifferences();
}
TEST(Gradient, Transformer) {
  std::string text = R"(
use nn
module Block(dim, heads) {
  norm1: nn.LayerNorm(dim)
  mix: nn.MultiHeadAttention(dim, heads)
  norm2: nn.RmsNorm(dim)
  mlp: nn.Mlp(dim, 2 * dim, gelu)
  fn (x: f32[batch, seq, dim]) -> f32[batch, seq, dim] {
    let y = x + mix(norm1(x))
    y + mlp(norm2(y))
  }
}
model Gpt(vocab = 7, context = 8, dim = 6, heads = 2, layers = 2) {
  token: nn.Embedding(vocab, dim)
  position: nn.Embedding(context, dim)
  blocks: [Block(dim, heads); layers]
  final: nn.LayerNorm(dim)
  fn f(tokens: i32[batch, seq <= context], targets: i32[batch, seq]) -> f32 {
    var x = token(tokens) + position(iota(seq))
    for block in blocks { x = block(x) }
    mean(cross_entropy(final(x) @ token.table', targets))
  }
}
)";
  Derived(text, {drawBelow(7, {2, 4}), drawBelow(7, {2, 4})}).expectDifferences();
}

} // namespace

// The derivative of the arm that is not taken is infinite or undefined here.
TEST(Gradient, OfTheArmThatIsTaken) {
  Array x(Element::F32, {4});
  x.values = {-1, 0, 1, 4};
  for (const char *arm : {"sqrt(x[i])", "1.0 / x[i]", "x[i] * log(x[i])", "rsqrt(x[i]) * 2.0"}) {
    SCOPED_TRACE(arm);
    std::string text =
        "fn f(x: f32[n]) -> f32 { sum([i] => if x[i] > 0.5 then " + std::string(arm) + " else 0.0) }\nexport f\n";
    Derived(text, {x}).expectDifferences();
  }
}

TEST(Gradient, OfRowsThatKeepNothingRenormalised) {
  Array q(Element::F32, {3, 2}), v(Element::F32, {4, 2});
  for (size_t n = 0; n < q.values.size(); ++n)
    q.values[n] = 0.3 * double(n) - 0.5;
  for (size_t n = 0; n < v.values.size(); ++n)
    v.values[n] = 0.7 - 0.2 * double(n);
  Derived(R"(
fn f(q: f32[n, d], v: f32[m, d]) -> f32 {
  sum(sq([i] => attend j {
    score: dot(q[i], v[j]), mask: j < 2 and i < 2, weight: w => 2.0 * w * w, renormalise: true, value: v[j]
  }))
}
export f
)",
          {q, v})
      .expectDifferences();
}

TEST(Gradient, OfOneModuleOfAListInAList) {
  Array x(Element::F32, {2, 3});
  for (size_t n = 0; n < x.values.size(); ++n)
    x.values[n] = 0.4 * double(n) - 0.9;
  Derived(R"(
module Part(dim) {
  w: f32[dim, dim] = normal(0.5)
  fn (x: f32[n, dim]) -> f32[n, dim] { tanh(x @ w) }
}
module Block(dim) { parts: [Part(dim); 2] }
model M(dim = 3) {
  blocks: [Block(dim); 3]
  fn f(x: f32[n, dim]) -> f32 {
    var y = x
    for block in blocks { y = block.parts[1](block.parts[0](y)) }
    sum(sq(y))
  }
}
export f
)",
          {x})
      .expectDifferences();
}
