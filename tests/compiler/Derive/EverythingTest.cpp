// Tests gradients of every builtin, normaliser and function of the prelude, and of the examples. The lists come from
// the compiler, so that a new entry without a test fails.
#include "frontends/attn/Check/Attend/Normalisers.h"
#include "tests/compiler/Derive/Derived.h"
#include <fstream>
#include <regex>
#include <sstream>

using namespace attnc;

namespace {

/// Names and scalar expressions of x and y: f32[n, 3], away from kinks.
using Bodies = std::map<std::string, std::string>;

const Bodies &bodiesOfBuiltins() {
  static const Bodies bodies = {
      {"exp", "sum(exp(x))"},
      {"log", "sum(log(1.0 + sq(x)))"},
      {"sqrt", "sum(sqrt(1.0 + sq(x)))"},
      {"rsqrt", "sum(rsqrt(1.0 + sq(x)))"},
      {"tanh", "sum(y * tanh(x))"},
      {"sin", "sum(y * sin(x))"},
      {"cos", "sum(y * cos(x))"},
      {"erf", "sum(y * erf(x))"},
      {"abs", "sum(y * abs(x))"},
      {"sq", "sum(y * sq(x))"},
      {"sigmoid", "sum(y * sigmoid(x))"},
      {"relu", "sum(y * relu(x))"},
      {"pow", "sum(pow(sq(x) + 1.0, y))"},
      {"select", "sum(select(x > y, x * y, sq(y)))"},
      {"f32", "sum(x * f32(iota(3)))"},
      {"sum", "sum(sq(sum(x, axis: 0))) + sum(sq([i] => sum j => x[i, j] * y[i, j]))"},
      {"prod", "sum(prod(x, axis: 0)) + sum([i] => prod j => x[i, j] + y[i, j])"},
      {"mean", "sum(sq(mean(x, axis: 1))) + sum(sq([i] => mean j => x[i, j] * y[i, j]))"},
      {"max", "sum(max(x, axis: 0)) + sum(max(x, y)) + sum([i] => max j => x[i, j] * y[i, j])"},
      {"min", "sum(min(x, axis: 0)) + sum(min(x, y)) + sum([i] => min j => x[i, j] * y[i, j])"},
      {"any", "sum(if any(x > 0.3, axis: 0) then exp(x) else y)"},
      {"all", "sum(if all(x > -1.3, axis: 0) then exp(x) else y)"},
      {"dot", "sum(sq(dot(x, y)))"},
      {"norm", "sum(norm(x) * norm(y))"},
      {"iota", "sum(x[.., iota(2)])"},
      {"zeros", "sum(x * (zeros(3) + y))"},
      {"ones", "sum(sq(x) * (ones(3) + y))"},
      {"like", "sum(sq(x + like(y)))"},
      {"full", "sum(sq(x) * full(2.5, 3)) + sum(sq(full(y[0, 0], 4)))"},
      {"random", "sum(sq(x) * random(x)) + sum(if random(y) < 0.4 then 0.0 else y * x)"},
      {"reshape", "sum(reshape(x, [n * 3]) * reshape(y', [n * 3]))"},
      {"transpose", "sum(sq(transpose(x, 0, 1) @ y))"},
      {"permute", "sum(sq(permute(x, [1, 0]) @ y))"},
      {"concat", "sum(sq(concat(x, y)) * sq(concat(y, x)))"},
      {"split", "sum(split(x, [1, 2])[0] * split(y, [1, 2])[1])"},
      {"rank", "sum(sq(x)) * f32(rank(x))"},
      {"size", "sum(sq(x)) / f32(size(x, 0))"},
  };
  return bodies;
}

/// These have no gradient: they are rejected or constants (Gradient.StopIsAConstant).
const Bodies refused = {{"argmax", "f32(sum(argmax(x, axis: 0)))"},
                        {"argmin", "f32(sum(argmin(x, axis: 0)))"},
                        {"floor", "sum(x * floor(y))"},
                        {"i32", "f32(sum(i32(x)))"}};
/// These have no body: len reads lists, tagged reads parameters of an optimizer; stop and gradient have no gradient.
const std::set<std::string> ofNoTensor = {"stop", "gradient", "len", "tagged"};

std::string programOf(const std::string &body) {
  return "use nn\nfn f(x: f32[n, 3], y: f32[n, 3]) -> f32 { " + body + " }\n";
}

/// Returns the inputs, with a seed and a step if the body has draws.
std::vector<Array> withKey(std::vector<Array> inputs, const std::string &body) {
  if (body.find("random") != std::string::npos)
    for (double word : {11.0, 5.0})
      inputs.push_back(Array(Element::I32, {}, word));
  return inputs;
}

TEST(Everything, Builtins) {
  for (const BuiltinSummary &builtin : builtinSummaries()) {
    SCOPED_TRACE(builtin.name);
    std::string name(builtin.name);
    if (ofNoTensor.count(name) || refused.count(name))
      continue;
    auto body = bodiesOfBuiltins().find(name);
    ASSERT_NE(body, bodiesOfBuiltins().end()) << "has no test of its gradient";
    EXPECT_TRUE(std::regex_search(body->second, std::regex("\\b" + name + "\\b"))) << "its test names another one";
    std::vector<Array> inputs = {draw({4, 3}), draw({4, 3}, 2)};
    Derived(programOf(body->second), withKey(inputs, body->second)).expectDifferences();
  }
}

TEST(Everything, WhatHasNoGradientIsRefused) {
  for (const auto &[name, body] : refused) {
    SourceManager sources;
    DiagnosticEngine diagnostics(sources);
    FileId file = sources.add("a.attn", programOf(body) + "export g = gradient(f)\n");
    checkFile(sources, file, diagnostics);
    EXPECT_NE(render(diagnostics).find("no gradient passes through `" + name + "`"), std::string::npos)
        << render(diagnostics);
  }
}

TEST(Everything, Operators) {
  for (const char *body :
       {"sum(x + y - 2.0 * x * y)", "sum(x / (sq(y) + 1.0))", "sum((x + 7.0) % (sq(y) + 3.0))",
        "sum((sq(x) + 0.5) ** y)", "sum(-x * y)", "sum(sq(x @ y')) + sum(x[0] @ y')", "sum(sq(x[1:, 0:2]) * y[1:, 1:])",
        "sum([i, j] => if x[i, j] > 0.1 and not (y[i, j] < 0.0 or i == 2) then x[i, j] * y[i, j] else sq(y[i, j]))",
        "sum([i, j] => (if i >= 1 then x[i - 1, j] else 0.0) * y[i, j])",
        "sum([i] => sum j where x[i, j] < y[i, j] => x[i, j] * y[i, j])", "sum(sq(x[iota(n)]) * y[iota(n) / 2])"}) {
    SCOPED_TRACE(body);
    Derived(programOf(body), {draw({4, 3}), draw({4, 3}, 2)}).expectDifferences();
  }
}

/// Returns the differentiable results of a normaliser except values, as source text.
std::vector<std::string> statisticsOf(typed::Normaliser normaliser) {
  std::vector<std::string> yields;
  for (const auto &info : mlir::attn::statisticInfos)
    if (info.passesTo != mlir::attn::PassesTo::Nothing && info.statistic != typed::Statistic::Value &&
        hasStatistic(normaliser, info.statistic))
      yields.push_back(info.word + std::string(info.hasTop ? "(2)" : info.isSummed ? "(i)" : ""));
  return yields;
}

/// Spellings of each normaliser with a score. If weights are discrete the score is constant, because their surrogate
/// gradient is no derivative (Normaliser.HardPassesTheGradientOfASoftmax, Normaliser.ScoreFunction).
TEST(Everything, Normalisers) {
  const std::string product = "dot(x[i], y[j])", sum = ", value: y[j] }";
  std::map<std::string, std::vector<std::pair<std::string, std::string>>> spellings = {
      {"softmax",
       {{"softmax", product},
        {"softmax(sink: x[i, 0] * y[0, 1], temperature: 1.5 + sq(x[i, 1]))", product},
        {"softmax(sink: 0.5)", product}}},
      {"ratio", {{"ratio", "sq(dot(x[i], y[j])) + 0.1"}}},
      {"none", {{"none", product}}},
      {"sigmoid", {{"sigmoid", product}}},
      {"sparsemax", {{"sparsemax", product}}},
      {"entmax", {{"entmax(1.5)", product}, {"entmax(alpha: 1.2)", product}}},
      {"hard", {{"hard", "f32((3 * iota(n)[i] + 5 * iota(n)[j]) % 7)"}}},
      {"gumbel_softmax", {{"gumbel_softmax", product}, {"gumbel_softmax(0.6 + sq(x[i, 2]))", product}}},
      {"sample", {{"sample", product}, {"sample(2)", product}}},
      {"stick_breaking", {{"stick_breaking", product}}},
  };
  for (const check::NormaliserWord &each : check::normaliserWords()) {
    ASSERT_TRUE(spellings.count(each.word)) << each.word << " has no test of its gradient";
    for (const auto &[by, score] : spellings[each.word]) {
      SCOPED_TRACE(by);
      std::vector<Array> inputs = {draw({4, 3}), draw({4, 3}, 2)};
      bool draws = each.score == check::ComposedScore::Gumbel || each.score == check::ComposedScore::Sampled;
      for (double word : {11.0, 5.0})
        if (draws)
          inputs.push_back(Array(Element::I32, {}, word));
      std::string head = "score: " + score + ", by: " + by;
      std::vector<std::string> rests = {sum, ", mask: j <= i, value: x[j] }",
                                        ", weight: w => w * exp(y[j, 0] * x[i, 1]), value: y[j] }",
                                        ", weight: w => w * sq(y[j, 0]), renormalise: true, value: y[j] }"};
      if (each.normaliser != typed::Normaliser::Hard)
        rests.push_back(" }"); // yields the weights
      for (const std::string &rest : rests)
        Derived(programOf("let a = [i] => attend j { " + head + rest + "\n sum(sq(a) * (1.0 + y[0, 0]))"), inputs)
            .expectDifferences();
      std::vector<std::string> yields = {"logp"};
      if (!each.hasLogp)
        yields = statisticsOf(each.normaliser);
      for (const std::string &yield : yields)
        Derived(programOf("let (a, s) = [i] => attend j { " + head + sum + " yields (value, " + yield +
                          ")\n sum(sq(a)) + sum(s * s)"),
                inputs)
            .expectDifferences();
    }
  }
}

//===- The prelude ------------------------------------------------------------------------------------------------===//

/// Returns functions of x and y: f32[n, 3], and of modules.
const Bodies bodiesOfPrelude = {
    {"gelu", "sum(y * gelu(x))"},
    {"gelu_tanh", "sum(y * gelu_tanh(x))"},
    {"silu", "sum(y * silu(x))"},
    {"softplus", "sum(y * softplus(x))"},
    {"softmax", "sum(y * softmax(x))"},
    {"log_sum_exp", "sum(sq(log_sum_exp(x * y)))"},
    {"log_softmax", "sum(y * log_softmax(x))"},
    {"cross_entropy", "mean(cross_entropy(x * y, iota(n) % 3))"},
    {"mean_squared_error", "mean_squared_error(x, y)"},
    {"mean_absolute_error", "mean_absolute_error(x, y)"},
    {"one_hot", "sum(sq(x) * one_hot(iota(n) % 3, 3))"},
    {"dropout", "sum(dropout(sq(x), 0.5) * y)"},
    {"split_heads", "let (a, b, c) = split_heads(reshape(x, [1, n, 3]), 3, 1)\nsum(a * b * c)"},
    {"merge_heads", "sum(sq(merge_heads(reshape(x, [1, 1, n, 3]))) * y)"},
    {"sinusoidal", "sum(sq(x) * sinusoidal(n, 3))"},
    {"rope", "sum(sq(rope(x[.., 0:2], 100.0)) * y[.., 0:2])"},
    {"alibi_slopes", "sum(sq(x) * y) * sum(alibi_slopes(2))"},
    {"relative_bucket", "sum([i, j] => sq(x[i, j]) * f32(relative_bucket(i - j, 4, 8)))"},
    {"Linear", "module Linear(3, 4)"},
    {"LayerNorm", "module LayerNorm(3)"},
    {"RmsNorm", "module RmsNorm(3)"},
    {"Mlp", "module Mlp(3, 5)"},
    {"SwiGLU", "module SwiGLU(3, 5)"},
    {"BatchNorm", "module BatchNorm(3)"},
    {"Embedding", "tokens Embedding(5, 3)"},
    {"Positions", "rows Positions(6, 3)"},
    {"MultiHeadAttention", "rows MultiHeadAttention(3, 1)"},
    {"GruCell", "state GruCell(3, 3)"},
    {"GRU", "steps GRU(3, 4)"},
    {"LstmCell", "states LstmCell(3, 3)"},
    {"LSTM", "steps LSTM(3, 4)"},
    {"BothWays", "lengths BothWays(nn.LSTM, 3, 4)"},
    {"linear_attention", "sum(sq(linear_attention(x, y, x)))"},
    {"causal_linear_attention", "let (a, b) = (reshape(x, [1, 1, n, 3]), reshape(y, [1, 1, n, 3]))\n"
                                "sum(sq(causal_linear_attention(a, b, a, 2)))"},
    {"in_chunks", "sum(sq(in_chunks(x, 2)))"},
    {"from_chunks", "sum(sq(from_chunks(in_chunks(x * x, 2), n)) * y)"},
    {"Conv1d", "rows Conv1d(3, 3, 3, 2)"},
    // Its gradient is a derivative only if costs are constant: Normaliser.Reinforce.
    {"reinforce", "reinforce(x[:, 0], 0.0 * x[:, 1], stop(y[:, 0]))"},
    {"GroupedQueryAttention", "masked GroupedQueryAttention(3, 2, 1, 2, 10.0)"},
    {"compact", "sum(x * f32(compact([i < n, j < 3] => i32(i + j), y > 0.0, 3)))"},
    {"ctc",
     "let labels = [b < n, i < 2] => 1 + (b + i) % 2\nlet logp = [b < n, t < 5, c < 3] => x[b, c] * y[b, (c + t) % "
     "3]\nsum(exp(-0.1 * ctc(logp, [b < n] => 5 - b % 2, labels, [b < n] => b % 3)))"},
    {"best_path", "sum(x * f32(best_path(stop([b < n, t < 3, c < 2] => y[b, t] * f32(c)), iota(n))))"},
    {"cost_to_go", "sum(cost_to_go(x, iota(n), 0.9) * y)"},
    // Its gradient is no derivative: Normaliser.ReinforceInTimeSteps.
    {"reinforce_steps", "sum(sq(x)) + 0.0 * reinforce_steps(y, y, y, iota(n))"},
    {"cross_entropy_smoothed", "mean(cross_entropy_smoothed(x * y, iota(n) % 3, 0.3))"},
    {"random_normal", "sum(sq(x) * random_normal(x)) + sum(exp(y) * random_normal(y))"},
    {"sublayer", "sum(y * sublayer(x, tanh, softmax)) + sum(sq(sublayer(y, sq, softmax, pre_norm: false)))"},
    {"CrossAttention", "sources CrossAttention(3, 1)"},
    {"TransformerEncoder", "masked TransformerEncoder(3, 1, 4)"},
    {"TransformerDecoder", "sources TransformerDecoder(3, 1, 4, pre_norm: false, activation: silu)"},
    {"RelativeBias", "distances RelativeBias(3, 8, 5, causal: false)"},
    {"RelativePositions", "vectors RelativePositions(2, 3)"},
};

std::string preludeProgram(const std::string &body) {
  size_t space = body.find(' ');
  std::string kind = body.substr(0, space), made = body.substr(space + 1);
  static const std::map<std::string, std::string> calls = {
      {"module", "it(x) + 0.0 * sum(y)"},
      {"tokens", "it(iota(n) % 5) * x * y"},
      {"rows", "it(reshape(x, [1, n, 3])) + sum(sq(y))"},
      {"state", "it(x, y)"},
      {"states", "it(x, y, x)[0] + it(y, x, y)[1]"},
      {"steps", "it(reshape(x, [1, n, 3]))[0] + sum(it(reshape(y, [1, n, 3]))[1])"},
      {"masked", "it(reshape(x, [1, n, 3]), (b, i, j) => j < n - 1) + sum(sq(y))"},
      {"sources", "it(reshape(x, [1, n, 3]), reshape(y, [1, n, 3]), (b, i, j) => j < n - 1)"},
      {"distances", "[h < 3, i < n, j < n] => it(h, i - j) * x[i, h] * y[j, h]"},
      {"vectors", "[i < n, j < n] => dot(it(i - j), x[i] * y[j])"},
      {"lengths", "it(reshape(x, [n, 1, 3]), iota(n) % 2)[0] + sum(it(reshape(y, [n, 1, 3]), iota(n))[1])"}};
  if (!calls.count(kind))
    return programOf(body);
  const std::string &call = calls.at(kind);
  return "use nn\nmodel M() {\n  it: nn." + made + "\n  fn f(x: f32[n <= 6, 3], y: f32[n, 3]) -> f32 { sum(sq(" + call +
         ")) }\n}\n";
}

/// Expects a body in `bodies` for each function and module of a file of the prelude, tests the gradient of the program
/// with this body, and expects that the front end accepts the export of this gradient.
void expectPrelude(llvm::StringRef file, const Bodies &bodies,
                   llvm::function_ref<std::string(const std::string &)> program, const std::vector<Array> &inputs) {
  std::string text(*preludeText(file));
  std::regex definition("\n(?:fn|module) ([A-Za-z_0-9]+)\\(");
  size_t found = 0;
  for (auto match = std::sregex_iterator(text.begin(), text.end(), definition); match != std::sregex_iterator();
       ++match, ++found) {
    std::string name = (*match)[1];
    SCOPED_TRACE(name);
    auto body = bodies.find(name);
    ASSERT_NE(body, bodies.end()) << "has no test of its gradient";
    Derived(program(body->second), withKey(inputs, body->second)).expectDifferences();
    Imported exported(program(body->second) + "export g = gradient(f)\n");
    EXPECT_TRUE(exported.module);
  }
  EXPECT_EQ(found, bodies.size());
}

TEST(Everything, Prelude) { expectPrelude("nn", bodiesOfPrelude, preludeProgram, {draw({4, 3}), draw({4, 3}, 2)}); }

TEST(Everything, PreludeOfImages) {
  static const Bodies bodies = {
      {"pixel", "sum([b, i, j, c] => vision.pixel(x, b, i - 1, j + 1, c) * y[b, i, j, c])"},
      {"windows", "sum(x * y) * vision.windows(6, 3, 2, 1)"},
      {"convolution", "sum(sq(vision.convolution(x, y[:, 0:2, 0:2], padding: 1)))"},
      {"unit", "sum(vision.unit(x[0, 0, 0]) * y[0, 0, 0])"},
      {"SpectralConv", "sum(sq(spectral(x)) * 0.5) + sum(y)"},
      {"matching", "at(vision.matching(x[:, 0:4, :, 0]), y)"},
      {"auction", "at(vision.auction(x[:, 0:4, :, 0], rounds: 5), y)"},
      {"glimpse", "sum(sq(vision.glimpse(x, y[:, 0, 0], 2, 2)))"},
      {"Conv2d", "sum(sq(it(x)) * y[:, 0:3, 0:3, 0:1])"},
      {"ConvTranspose2d", "sum(sq(up(x)) * 0.5) + sum(y)"},
      {"transposed_convolution", "sum(sq(vision.transposed_convolution(x, y[:, 0:2, 0:2], 3, 0)))"},
      {"weight_at",
       "sum([i < 3, c < 2, o < 2] => vision.weight_at(y[:, 0:2, 0:2], 3, i, 1, c, o) * sq(x[0, i, c, o]))"},
      {"GroupNorm", "sum(group(x) * y)"},
      {"upsample", "sum(sq(vision.upsample(x)) * 0.5) + sum(y)"},
      {"box_borders", "sum(sq(vision.box_borders(x[:, 0:4, 0:4, 0])) * y[:, 0:4, 0:4, 0])"},
      {"box_area", "sum([b, i, j] => vision.box_area([k < 4] => x[b, i, k, j] * y[b, i, k, j]))"},
      {"shared_areas",
       "sum([b, i, j] => vision.iou([k < 4] => x[b, i, k, j] + k, [k < 4] => y[b, i, k, j] + 1.2 * k))"},
      {"iou", "sum([b, i, j] => vision.iou([k < 4] => x[b, i, k, j] + k, [k < 4] => y[b, i, k, j] + k))"},
      {"giou", "sum([b, i, j] => vision.giou([k < 4] => x[b, i, k, j] + k, [k < 4] => y[b, i, k, j] + k))"},
      {"max_pool", "sum(vision.max_pool(x) * vision.max_pool(y, stride: 2, width: 2))"},
      {"mean_pool", "sum(sq(vision.mean_pool(x, width: 3, stride: 1))) + sum(y)"},
      {"patches", "sum(sq(vision.patches(x[:, :, 0:4] * y[:, :, 0:4], 2)))"},
      {"affine_grid", "sum(sq(vision.affine_grid(x[:, 0:2, 0:3, 0], 3, 4))) + sum(y)"},
      {"sample", "sum(sq(vision.sample(y, 1.1 * x)))"},
  };
  auto program = [](const std::string &body) {
    return "use vision\nmodel M() {\n  it: vision.Conv2d(2, 3, 3, stride: 2, padding: 1)\n"
           "  up: vision.ConvTranspose2d(2, 3)\n  group: vision.GroupNorm(2, 2)\n"
           "  spectral: vision.SpectralConv(2, 3)\n"
           "  fn at(c: i32[2, 4], y: f32[2, 6, w, 2]) -> f32 { sum([i, j < 4] => y[i, j, c[i, j], 0]) }\n"
           "  fn f(x: f32[2, 6, 5, 2], y: f32[2, 6, 5, 2]) -> f32 { " +
           body + " + 0.0 * sum(sq(it(x))) }\n}\n";
  };
  expectPrelude("vision", bodies, program, {draw({2, 6, 5, 2}), draw({2, 6, 5, 2}, 2)});
}

TEST(Everything, PreludeOfRecurrences) {
  static const Bodies bodies = {
      {"ChannelConv", "sum(sq(conv(x[0])) * y[0])"},
      {"gated_linear_attention", "sum(sq(gated_linear_attention(x[:, 0:1], y[:, 0:1], x, gates)))"},
      {"chunked_gated_linear_attention", "sum(sq(chunked_gated_linear_attention(x[:, 0:1], y[:, 0:1], x, gates, 4)))"},
      {"gated_delta_rule", "sum(sq(gated_delta_rule(x[:, 0:1], y[:, 0:1], x, gates, sigmoid(gates))))"},
      {"feature_gated_delta_rule",
       "sum(sq(feature_gated_delta_rule(x[:, 0:1], y[:, 0:1], x, -sq(y), sigmoid(gates))))"},
      {"delta_rule", "sum(sq(delta_rule(x[:, 0:1], y[:, 0:1], x, sigmoid(gates), (b, h, t, j) => sq(y[b, h, t, j]))))"},
      {"unit_vectors", "sum(unit_vectors(x) * y)"},
      {"chunked_gated_delta_rule",
       "sum(sq(chunked_gated_delta_rule(x[:, 0:1], y[:, 0:1], x, gates, sigmoid(gates), 4)))"},
      {"numbers_in_chunks", "sum(sq(numbers_in_chunks(gates, 4)))"},
      {"solve_unit_lower", "sum(sq(solve_unit_lower(v, q + sq(v))))"},
      {"sums_up_to_each", "sum(sq(sums_up_to_each(x)) * y)"},
      {"decayed_products", "sum(sq(decayed_products(q[:, :, 0], k[:, :, 1], parts[:, :, 0])))"},
      {"read_states", "sum(sq(read_states(q[:, :, 0], parts[:, :, 0], v[:, :, 0])))"},
      {"read_and_write_chunk",
       "let (z, s) = read_and_write_chunk(q[:, :, 0], k[:, :, 1], v[:, :, 0], parts[:, :, 1], v[:, :, 1])\n"
       "sum(sq(z)) + sum(sq(s))"},
  };
  auto program = [](const std::string &body) {
    return "use recurrences\nmodel M() {\n  conv: recurrences.ChannelConv(3)\n"
           "  fn f(x: f32[2, 2, 6, 3], y: f32[2, 2, 6, 3]) -> f32 {\n    let gates = -sq(y[:, :, :, 0])\n"
           "    let (q, k) = (reshape(x[:, 0:1], [2, 1, 2, 3, 3]), reshape(y[:, 0:1], [2, 1, 2, 3, 3]))\n"
           "    let (v, parts) = (reshape(x, [2, 2, 2, 3, 3]), reshape(gates, [2, 2, 2, 3]))\n    " +
           body + " + 0.0 * sum(sq(conv(x[0])) * y[0])\n  }\n}\n";
  };
  expectPrelude("recurrences", bodies, program, {draw({2, 2, 6, 3}), draw({2, 2, 6, 3}, 2)});
}

//===- The examples -----------------------------------------------------------------------------------------------===//

/// Returns an example without its exports, with these sizes of its model and with `function` in it.
std::string example(const std::string &name, const std::vector<std::pair<std::string, int>> &sizes,
                    const std::string &function) {
  std::ifstream stream(ATTNC_ROOT "/examples/" + name + "/" + name + ".attn");
  std::stringstream buffer;
  buffer << stream.rdbuf();
  std::string text = buffer.str();
  for (auto &[parameter, size] : sizes) {
    std::string changed =
        std::regex_replace(text, std::regex("\\b" + parameter + " = [0-9]+"), parameter + " = " + std::to_string(size),
                           std::regex_constants::format_first_only);
    EXPECT_NE(changed, text) << parameter;
    text = changed;
  }
  text = text.substr(0, text.find("\nexport ")) + "\n";
  size_t model = text.find("\nmodel ");
  size_t body = model == std::string::npos ? text.size() : text.find('{', model) + 1;
  return text.substr(0, body) + "\n" + function + "\n" + text.substr(body) + "export f\n";
}

TEST(Everything, Examples) {
  std::string loss = "  fn f(tokens: i32[batch, seq <= context], targets: i32[batch, seq]) -> f32 {\n"
                     "    mean(nn.cross_entropy(logits(tokens), targets))\n  }\n";
  std::vector<Array> tokens = {drawBelow(7, {2, 4}), drawBelow(5, {2, 4})};
  Derived(example("chargpt", {{"vocab", 7}, {"context", 6}, {"layers", 2}, {"heads", 2}, {"dim", 4}}, loss), tokens)
      .expectDifferences();
  Derived(example("gpt2", {{"vocab", 7}, {"context", 6}, {"layers", 2}, {"heads", 2}, {"dim", 4}}, loss), tokens)
      .expectDifferences();
  Derived(example("digits", {},
                  "fn f(images: f32[q, 64], keys: f32[n, 64], digits: i32[n], bandwidth: f32) -> f32 {\n"
                  "  sum(sq(classify(images, keys, digits, bandwidth))) + sum(sq(leave_one_out(keys, digits, 9.0))) +\n"
                  "    sum(sq(influence(images, keys, bandwidth)))\n}\n"),
          {draw({2, 64}), draw({3, 64}, 2), drawBelow(10, {3}), Array(Element::F32, {}, 8.0)})
      .expectDifferences();
}

} // namespace
