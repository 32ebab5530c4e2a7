// Tests that the compiler depends on no name of the prelude: a copy under another name, with renamed definitions,
// imports to the same IR; and functions of the prelude against closed forms.

#include "tests/frontends/attn/Import/Imported.h"

#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <numeric>
#include <regex>
#include <set>

using namespace attnc;

namespace {

/// A program that uses every definition of nn.attn.
const std::string program = R"(
use nn

model M(dim = 8) {
  linear:    nn.Linear(dim, 6)
  table:     nn.Embedding(32, dim)
  centred:   nn.LayerNorm(dim)
  rms:       nn.RmsNorm(dim)
  mlp:       nn.Mlp(dim, 12)
  gated:     nn.SwiGLU(dim, 12)
  places:    nn.Positions(16, dim)
  attention: nn.MultiHeadAttention(dim, 2)
  grouped:   nn.GroupedQueryAttention(dim, 4, 2, 4, 10000.0)
  of_batch:  nn.BatchNorm(8)
  ahead:     nn.GRU(dim, 5)
  memory:    nn.LSTM(dim, 5)
  both:      nn.BothWays(nn.GRU, dim, 5)
  gru_cell:  nn.GruCell(dim, 5)
  lstm_cell: nn.LstmCell(dim, 5)
  filter:    nn.Conv1d(dim, 5, 3, 2)
  encoder:   nn.TransformerEncoder(dim, 2, 12)
  decoder:   nn.TransformerDecoder(dim, 2, 12, 0.1, pre_norm: false)
  cross:     nn.CrossAttention(dim, 2)
  biases:    nn.RelativeBias(2, 8, 16)
  shifts:    nn.RelativePositions(4, dim)
  bias:      f32[2, 32] = zeros

  fn modules(tokens: i32[batch, seq <= 16]) -> f32[batch, seq, 6] {
    let x = places(table(tokens))
    let y = x + attention(centred(x))
    linear(gated(mlp(rms(y + grouped(y)))))
  }
  fn recurrences(x: f32[batch, seq, dim], length: i32[batch]) -> f32[batch, seq, 5] {
    let (a, b) = ahead(x)
    let (c, d) = memory(x)
    let (e, f) = both(x, length)
    let (g, h) = lstm_cell(x[:, 0], gru_cell(x[:, 0], b), d)
    a + c + e[.., 0:5] + mean(f + concat(g, h))
  }
  fn linear_in_all(x: f32[1, 1, n, 8]) -> f32[1, 1, n, 8] {
    causal_linear_attention(x, x, linear_attention(x, x, x))
  }
  fn by_chunks(x: f32[n, 8]) -> f32[n, 8] { from_chunks(in_chunks(x, 4), n) }
  fn filtered(x: f32[batch, seq, dim]) -> f32[batch, seq, 5] { filter(x) }
  fn chosen(cost: f32[n], logp: f32[n]) -> f32 { reinforce(cost, logp, like(cost)) }
  fn chosen_in_steps(cost: f32[batch, time], logp: f32[batch, time], length: i32[batch]) -> f32 {
    reinforce_steps(cost, logp, cost_to_go(cost, length), length)
  }
  fn translated(x: f32[batch, seq, dim], y: f32[batch, n, dim], length: i32[batch]) -> f32[batch, seq, dim] {
    let kept = (b, i, j) => j < length[b]
    let m = encoder(y, kept)
    sublayer(decoder(x, m, kept), z => cross(z, m), softmax)
  }
  fn relative(x: f32[n, 8]) -> f32[n, 8] {
    [i] => attend j { score: dot(x[i], x[j] + shifts(i - j)) + biases(0, i - j), value: x[j] }
  }
  fn smoothed(x: f32[rows, 10], labels: i32[rows]) -> f32 { mean(cross_entropy_smoothed(x, labels, 0.1)) }
  fn noise(x: f32[n]) -> f32[n] { random_normal(x) }
  fn kept(tokens: i32[batch, seq]) -> i32[batch, 8] { compact(tokens, tokens != 0, 8) }
  fn aligned(x: f32[batch, time, 5], t: i32[batch], y: i32[batch, n], m: i32[batch]) -> f32 { mean(ctc(x, t, y, m)) }
  fn heard(x: f32[batch, time, 5], t: i32[batch]) -> i32[batch, time] { best_path(x, t) }
  fn of_a_batch(x: f32[n, 8]) -> f32[n, 8] { of_batch(x) }
  fn regularised(x: f32[n]) -> f32[n] { dropout(x, 0.1) }
  fn activations(x: f32[n]) -> f32[n] { gelu(x) + gelu_tanh(x) + silu(x) + softplus(x) }
  fn distributions(x: f32[rows, n]) -> f32[rows, n] { softmax(x) + log_softmax(x) * mean(log_sum_exp(x)) }
  fn losses(x: f32[rows, 10], y: f32[rows, 10], labels: i32[rows]) -> f32 {
    let exact = mean(cross_entropy(x, labels))
    exact + mean_squared_error(x, y) + mean_absolute_error(one_hot(labels, 10), y)
  }
  fn heads(x: f32[batch, seq, 24]) -> f32[batch, seq, 8] {
    let (q, k, v) = split_heads(x, 3, 2)
    let slope = alibi_slopes(2)
    let (a, c) = (rope(q, 10000.0), rope(k, 10000.0))
    let y = [b, h, i] => attend j {
      score: dot(a[b, h, i], c[b, h, j]) - slope[h] * abs(i - j) + bias[h, relative_bucket(i - j, 32, 128)],
      value: v[b, h, j],
    }
    merge_heads(y) + sinusoidal(seq, 8)
  }
}
)";

/// Returns the names of the functions and modules of a file.
std::vector<std::string> definitionsOf(const std::string &text) {
  std::vector<std::string> names;
  std::regex definition("\n(?:fn|module) ([A-Za-z_]+)\\(");
  for (auto match = std::sregex_iterator(text.begin(), text.end(), definition); match != std::sregex_iterator();
       ++match)
    names.push_back((*match)[1]);
  return names;
}

std::string replaceWord(const std::string &text, const std::string &word, const std::string &by) {
  return std::regex_replace(text, std::regex("\\b" + word + "\\b"), by);
}

std::string irOf(const std::string &text, std::string name = "a.attn") {
  Imported imported(text, std::move(name));
  std::string ir;
  llvm::raw_string_ostream stream(ir);
  if (imported.module)
    imported.module->print(stream);
  return ir;
}

/// Returns the IR of the program with `use mine` and a file `mine` of this text.
std::string irWith(const std::string &prelude, const std::string &user) {
  std::string folder = testing::TempDir();
  std::ofstream(folder + "/mine.attn") << prelude;
  return irOf(replaceWord(user, "nn", "mine"), folder + "/a.attn");
}

TEST(Prelude, TheProgramUsesAllOfIt) {
  EXPECT_EQ(preludeNames(), (std::vector<std::string>{"adapters",
                                                      "decoding",
                                                      "metrics",
                                                      "models.bart",
                                                      "models.bert",
                                                      "models.clip",
                                                      "models.deepseek",
                                                      "models.dit",
                                                      "models.encoders",
                                                      "models.experts",
                                                      "models.gemma",
                                                      "models.gpt2",
                                                      "models.gpt_oss",
                                                      "models.kimi_linear",
                                                      "models.llama",
                                                      "models.losses",
                                                      "models.mamba2",
                                                      "models.mixture",
                                                      "models.modernbert",
                                                      "models.phi3",
                                                      "models.qwen3_next",
                                                      "models.rotary",
                                                      "models.siglip",
                                                      "models.t5",
                                                      "models.vit",
                                                      "models.whisper",
                                                      "nn",
                                                      "optim",
                                                      "recurrences",
                                                      "vision"}));
  std::vector<std::string> names = definitionsOf(std::string(*preludeText("nn")));
  EXPECT_GT(names.size(), 20u);
  for (const std::string &name : names)
    EXPECT_NE(replaceWord(program, name, ""), program) << name;
}

TEST(Prelude, ACopyImportsToTheSame) {
  std::string original = irOf(program);
  EXPECT_NE(original, "");
  EXPECT_EQ(irWith(std::string(*preludeText("nn")), program), original);
}

TEST(Prelude, ACopyOfTheLayersOfImagesImportsToTheSame) {
  const std::string user = R"(use vision
model Eye(channels = 3) {
  first: vision.Conv2d(channels, 4, 3, stride: 2, padding: 1)
  back:  vision.ConvTranspose2d(4, channels)
  group: vision.GroupNorm(channels, 3)
  fn larger(x: f32[batch, 4, 4, 4]) -> f32[batch, 24, 24, channels] { vision.upsample(group(back(x)), 3) }
  last:  vision.SpectralConv(channels, 2)
  fn matched(x: f32[batch, 8, 8, channels], cost: f32[batch, n, 4]) -> (f32[batch, 6, 6, 2], i32[batch, n]) {
    (last(x), vision.matching(cost) + vision.auction(cost))
  }
  fn at(x: f32[batch, 8, 8, channels], place: f32[batch, 2]) -> f32[batch, 3, 8, 8, channels] { vision.glimpse(x, place) }
  fn overlap(a: f32[4], b: f32[4]) -> f32 { vision.iou(vision.box_borders(a), b) + vision.giou(a, b) }
  fn seen(x: f32[batch, 8, 8, channels], theta: f32[batch, 2, 3]) -> f32[batch, 1, 16] {
    let grid = vision.affine_grid(theta, 8, 8)
    vision.patches(vision.mean_pool(vision.max_pool(first(vision.sample(x, grid)), width: 1, stride: 1)), 2)
  }
}
export seen
export larger
export overlap
export matched
export at
)";
  std::string original = irOf(user);
  EXPECT_NE(original, "");
  std::string folder = testing::TempDir();
  std::ofstream(folder + "/mine.attn") << *preludeText("vision");
  EXPECT_EQ(irOf(replaceWord(user, "vision", "mine"), folder + "/a.attn"), original);
}

TEST(Prelude, ACopyOfTheOptimizersImportsToTheSame) {
  const std::string user = R"(use optim
model Line(n = 3) {
  weight: f32[n] = zeros
  square: f32[n, n] = zeros
  fn loss(x: f32[n]) -> f32 { dot(x, weight) + sum(square @ x) }
}
export a = minimize(loss, with: optim.sgd(lr: optim.step_decay(0.1, 0.5, 10), momentum: 0.5))
export b = minimize(loss, with: optim.adam(lr: optim.warmup(0.1, 5)))
export c = minimize(loss, with: optim.adamw(lr: optim.warmup_cosine(0.1, 5, 50)))
export d = minimize(loss, with: optim.lion(lr: 0.1))
export e = minimize(loss, with: optim.adafactor(lr: 0.1))
)";
  std::string original = irOf(user);
  EXPECT_NE(original, "");
  std::string folder = testing::TempDir();
  std::ofstream(folder + "/mine.attn") << *preludeText("optim");
  EXPECT_EQ(irOf(replaceWord(user, "optim", "mine"), folder + "/a.attn"), original);
}

TEST(Prelude, ACopyWithOtherNamesImportsToTheSame) {
  std::string renamed(*preludeText("nn")), user = program;
  for (const std::string &name : definitionsOf(renamed)) {
    renamed = replaceWord(renamed, name, name + "_of_mine");
    user = replaceWord(user, name, name + "_of_mine");
  }
  EXPECT_EQ(irWith(renamed, user), irOf(program));
}

//===- Closed forms -----------------------------------------------------------------------------------------------===//

TEST(Prelude, SmoothedTargetsGiveAllClassesAShare) {
  auto smoothed = [](const std::string &smoothing) {
    // The probabilities are 1/8, 2/8 and 5/8.
    return valuesOf(
        "use nn\nfn f(x: f32[n, 3], t: i32[n]) -> f32[n] { cross_entropy_smoothed(x, t, " + smoothing + ") }",
        {floats({2, 3}, {0, std::log(2), std::log(5), 0, std::log(2), std::log(5)}), integers({2}, {1, 2})});
  };
  const double uniform = (std::log(8) + std::log(4) + std::log(1.6)) / 3;
  EXPECT_THAT(smoothed("0.0"), are({std::log(4), std::log(1.6)}));
  EXPECT_THAT(smoothed("0.3"), are({0.7 * std::log(4) + 0.3 * uniform, 0.7 * std::log(1.6) + 0.3 * uniform}));
}

TEST(Prelude, CostsToGoEndAtTheLength) {
  EXPECT_THAT(valuesOf("use nn\nfn f(c: f32[n, 4], l: i32[n]) -> f32[n, 4] { cost_to_go(c, l, 0.5) }",
                       {floats({2, 4}, {1, 2, 4, 8, 1, 1, 1, 1}), integers({2}, {3, 0})}),
              are({3, 4, 4, 0, 0, 0, 0, 0}));
}

/// Two heads of values share keys and queries of 1; the second one does not decay.
TEST(Prelude, LinearAttentionSumsDecayedValues) {
  EXPECT_THAT(
      valuesOf("use recurrences\nfn f(v: f32[1, 2, 3, 1], g: f32[1, 2, 3]) -> f32[1, 2, 3, 1] {\n"
               "  gated_linear_attention(ones(1, 1, 3, 1), ones(1, 1, 3, 1), v, g)\n}",
               {floats({1, 2, 3, 1}, {8, 4, 2, 1, 2, 3}), floats({1, 2, 3}, {9, -std::log(2), -std::log(4), 0, 0, 0})}),
      are({8, 8, 4, 1, 3, 6}));
}

/// The first time step writes 8 for the key 1, the second one 4 in part, and the third one reads a decayed state.
TEST(Prelude, TheDeltaRuleReplacesValues) {
  EXPECT_THAT(
      valuesOf(
          "use recurrences\nfn f(v: f32[1, 1, 3, 1], g: f32[1, 1, 3], r: f32[1, 1, 3]) -> f32[1, 1, 3, 1] {\n"
          "  gated_delta_rule(ones(1, 1, 3, 1), ones(1, 1, 3, 1), v, g, r)\n}",
          {floats({1, 1, 3, 1}, {8, 4, 9}), floats({1, 1, 3}, {0, 0, -std::log(2)}), floats({1, 1, 3}, {1, 0.25, 0})}),
      are({8, 7, 3.5}));
}

/// Keys of two features, each written alone by the first two time steps, and read together by the third one, before
/// which one feature decays.
TEST(Prelude, DecaysOfFeaturesAreTheirOwn) {
  EXPECT_THAT(valuesOf("use recurrences\nfn f(k: f32[1, 1, 3, 2], v: f32[1, 1, 3, 1], g: f32[1, 1, 3, 2], "
                       "r: f32[1, 1, 3]) -> f32[1, 1, 3, 1] {\n"
                       "  feature_gated_delta_rule(ones(1, 1, 3, 2), k, v, g, r)\n}",
                       {floats({1, 1, 3, 2}, {1, 0, 0, 1, 1, 1}), floats({1, 1, 3, 1}, {8, 4, 9}),
                        floats({1, 1, 3, 2}, {0, 0, 0, 0, -std::log(2), 0}), floats({1, 1, 3}, {1, 1, 0})}),
              are({8, 12, 8}));
}

/// Five chunks of eight positions, the last one with five. Decays are so strong that their inverses overflow f32.
const std::string ofChunks = R"(
use recurrences
fn apart(of_chunks: f32[2, 4, 37, 2], of_steps: f32[2, 4, 37, 2]) -> f32[2, 4, 37, 2] {
  (of_chunks - of_steps) / max(abs(of_steps))
}
fn f(a: f32[2, 2, 37, 3], b: f32[2, 4, 37, 2], c: f32[2, 4, 37]) -> f32[4, 4, 37, 2] {
  let (q, k, v, g) = (sin(3.1 * a), cos(7.7 * a) / 2.0, sin(5.3 * b), -60.0 * sq(cos(9.7 * c)))
  let rate = sigmoid(g + 20.0)
  let linear = apart(chunked_gated_linear_attention(q, k, v, g, 8), gated_linear_attention(q, k, v, g))
  let delta = apart(chunked_gated_delta_rule(q, k, v, g, rate, 8), gated_delta_rule(q, k, v, g, rate))
  concat(linear, delta, axis: 0)
}
)";

TEST(Prelude, ChunksOfARecurrenceAgreeWithItsTimeSteps) {
  std::vector<Array> inputs = {Array(Element::F32, {2, 2, 37, 3}), Array(Element::F32, {2, 4, 37, 2}),
                               Array(Element::F32, {2, 4, 37})};
  for (Array &each : inputs)
    std::iota(each.values.begin(), each.values.end(), 1);
  EXPECT_THAT(valuesOf(ofChunks, inputs), testing::Each(testing::DoubleNear(0, 1e-13)));
}

TEST(Prelude, CompactedTokensFollowEachOther) {
  auto compacted = [](const std::string &count) {
    return valuesOf("use nn\nfn f(t: i32[n, 4]) -> f32[n, " + count + "] { f32(compact(t, t != 5, " + count + ")) }",
                    {integers({3, 4}, {1, 5, 0, 3, 5, 5, 5, 7, 5, 5, 5, 5})});
  };
  EXPECT_THAT(compacted("3"), are({1, 0, 3, 7, 0, 0, 0, 0, 0}));
  EXPECT_THAT(compacted("2"), are({1, 0, 7, 0, 0, 0}));
  EXPECT_THAT(compacted("5"), are({1, 0, 3, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

/// Probabilities may be 0, and labels behind the length any number. The second row has too few frames.
TEST(Prelude, CtcOfCertainClasses) {
  std::vector<double> losses = valuesOf(
      "use nn\nfn f(y: i32[5], labels: i32[n, 3], lengths: i32[n]) -> f32[n] {\n"
      "  let logp = [b < n, t < 5, c < 4] => if y[t] == c then 0.0 else -inf\n"
      "  ctc(logp, [b < n] => if b == 1 then 1 else 5, labels, lengths)\n}",
      {integers({5}, {1, 2, 3, 3, 3}), integers({3, 3}, {1, 2, 3, 1, 2, 3, 1, 2, -100}), integers({3}, {3, 3, 2})});
  EXPECT_NEAR(losses[0], 0, 1e-6);
  EXPECT_GE(losses[1], 0.99e30);
  EXPECT_GE(losses[2], 0.99e30);
}

/// The classes are 1 1 0 1 2 2, in rows of 6, 3 and 0 frames.
TEST(Prelude, TheBestPathHasNeitherRepeatedClassesNorBlanks) {
  EXPECT_THAT(valuesOf("use nn\nfn f(y: i32[6], t: i32[n]) -> f32[n, 6] {\n"
                       "  f32(best_path([b < n, s < 6, c < 3] => if y[s] == c then 0.0 else -1.0, t))\n}",
                       {integers({6}, {1, 1, 0, 1, 2, 2}), integers({3}, {6, 3, 0})}),
              are({1, 1, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(Prelude, TextsEndAtTheirFirstZero) {
  auto of = [](const std::string &call, std::vector<double> a, std::vector<double> b) {
    return valuesOf("use metrics\nfn f(a: i32[n, 3], b: i32[n, 5]) -> f32[n] { f32(" + call + "(a, b)) }",
                    {integers({2, 3}, a), integers({2, 5}, b)});
  };
  EXPECT_THAT(of("same_text", {1, 2, 3, 1, 2, 0}, {1, 2, 3, 0, 0, 1, 2, 0, 0, 0}), are({1, 1}));
  EXPECT_THAT(of("same_text", {1, 2, 3, 1, 2, 0}, {1, 2, 3, 4, 0, 1, 0, 0, 0, 0}), are({0, 0}));
  EXPECT_THAT(of("edit_distance", {1, 2, 3, 1, 2, 0}, {1, 2, 3, 0, 0, 2, 1, 0, 0, 0}), are({0, 2}));
  EXPECT_THAT(of("edit_distance", {1, 2, 3, 0, 0, 0}, {2, 2, 4, 3, 5, 7, 7, 0, 0, 0}), are({3, 2}));
}

TEST(Prelude, MetricsOfAWholeSetAreComputedFromSums) {
  EXPECT_THAT(
      valuesOf("use metrics\nfn f(a: f32) -> f32[2] { [i < 2] => f1_score(a * i, 4.0, 6.0) }", {floats({}, {3})}),
      are({0, 0.6}));
  EXPECT_THAT(valuesOf("use metrics\nfn f(x: f32[n], y: f32[n]) -> f32 {\n"
                       "let (n, sx, sy, xx, yy, xy) = correlation_sums(x, y)\ncorrelation(n, sx, sy, xx, yy, xy) }",
                       {floats({4}, {1, 2, 3, 4}), floats({4}, {2, 1, 4, 3})}),
              are({0.6}));
}

/// Each pixel adds its weights to the window that begins at stride times its place.
TEST(Prelude, TransposedConvolutionsAddWindows) {
  auto transposed = [](int64_t width, int64_t stride, int64_t padding) {
    constexpr int64_t h = 3, w = 4;
    const int64_t rows = stride * (h - 1) + width - 2 * padding, columns = stride * (w - 1) + width - 2 * padding;
    Array x(Element::F32, {1, h, w, 2}), weight(Element::F32, {width, width, 2, 1});
    std::iota(x.values.begin(), x.values.end(), 1);
    std::iota(weight.values.begin(), weight.values.end(), -7);
    std::vector<double> sums(size_t(rows * columns));
    for (int64_t i = 0; i < h; ++i)
      for (int64_t j = 0; j < w; ++j)
        for (int64_t k = 0; k < width * width; ++k) {
          int64_t row = stride * i + k / width - padding, column = stride * j + k % width - padding;
          for (int64_t c = 0; row >= 0 && row < rows && column >= 0 && column < columns && c < 2; ++c)
            sums[size_t(row * columns + column)] +=
                x.values[size_t(2 * (w * i + j) + c)] * weight.values[size_t(2 * k + c)];
        }
    EXPECT_THAT(
        valuesOf(fmt::format("use vision\nfn f(x: f32[n, 3, 4, 2], w: f32[{0}, {0}, 2, 1]) -> f32[n, {1}, {2}, 1] "
                             "{{ vision.transposed_convolution(x, w, {3}, {4}) }}",
                             width, rows, columns, stride, padding),
                 {x, weight}),
        are(sums))
        << width << " " << stride << " " << padding;
  };
  transposed(4, 2, 1);
  transposed(3, 2, 0);
  transposed(5, 3, 1);
  transposed(2, 3, 0);
  transposed(3, 1, 1);
}

/// A result with fewer rows than x for a dynamic number of rows, of which there are then at least two.
TEST(Prelude, TransposedConvolutionsAreCropped) {
  EXPECT_THAT(
      valuesOf("use vision\nfn f(x: f32[n, h, h, 1], w: f32[3, 3, 1, 1]) -> f32[n, h - 2, h - 2, 1] "
               "{ vision.transposed_convolution(x, w, 1, 2) }",
               {floats({1, 3, 3, 1}, {1, 2, 3, 4, 5, 6, 7, 8, 9}), floats({3, 3, 1, 1}, {1, 0, 0, 0, 0, 0, 0, 0, 2})}),
      are({9 + 2 * 1}));
}

TEST(Prelude, BoxesOverlap) {
  auto of = [](const std::string &function, std::vector<double> a, std::vector<double> b) {
    return valuesOf("use vision\nfn f(a: f32[4], b: f32[4]) -> f32 { vision." + function + " }",
                    {floats({4}, std::move(a)), floats({4}, std::move(b))})[0];
  };
  EXPECT_NEAR(of("iou(a, b)", {0, 0, 2, 2}, {1, 1, 3, 3}), 1.0 / 7, 1e-12);
  EXPECT_NEAR(of("giou(a, b)", {0, 0, 2, 2}, {1, 1, 3, 3}), 1.0 / 7 - 2.0 / 9, 1e-12);
  EXPECT_NEAR(of("giou(a, b)", {0, 0, 1, 1}, {2, 0, 3, 1}), -1.0 / 3, 1e-12) << "apart";
  EXPECT_NEAR(of("iou(a, b)", {0, 0, 1, 1}, {2, 2, 3, 3}), 0, 1e-12);
  EXPECT_NEAR(of("giou(a, b)", {0, 0, 2, 1}, {0, 0, 2, 1}), 1, 1e-12) << "equal";
  EXPECT_EQ(of("iou(a, b)", {1, 1, 1, 1}, {1, 1, 1, 1}), 0) << "empty";
  EXPECT_NEAR(of("giou(a, b)", {0, 0, 2e-5, 2e-5}, {0, 0, 2e-5, 2e-5}), 1, 1e-12) << "tiny";
  EXPECT_NEAR(of("iou(vision.box_borders(a), vision.box_borders(b))", {1, 1, 2, 2}, {2, 2, 2, 2}), 1.0 / 7, 1e-12);
}

TEST(Prelude, GroupsOfChannelsHaveMeanZeroAndVarianceOne) {
  Parameters parameters = {{"group.weight", floats({4}, {1, 1, 2, 2})}, {"group.bias", floats({4}, {0, 0, 0, 3})}};
  EXPECT_THAT(valuesOf("use vision\nmodel M() {\n  group: vision.GroupNorm(4, 2, 0.0)\n"
                       "  fn f(x: f32[n, 1, 2, 4]) -> f32[n, 1, 2, 4] { group(x) }\n}\n",
                       {floats({1, 1, 2, 4}, {1, 3, 5, 5, 3, 1, 7, 7})}, parameters),
              are({-1, 1, -2, 1, 1, -1, 2, 5}));
}

TEST(Prelude, UpsamplingRepeatsPixels) {
  EXPECT_THAT(valuesOf("use vision\nfn f(x: f32[n, 1, 2, 1]) -> f32[n, 2, 4, 1] { vision.upsample(x) }",
                       {floats({1, 1, 2, 1}, {3, 4})}),
              are({3, 3, 4, 4, 3, 3, 4, 4}));
}

/// The smallest sum of the costs of an assignment of the rows from `row` on to columns that are not in `used`.
double leastCost(const Array &cost, int64_t image, int64_t row, unsigned used) {
  const int64_t n = cost.shape[1], m = cost.shape[2];
  double least = row == n ? 0 : INFINITY;
  for (int64_t column = 0; row < n && column < m; ++column)
    if (!(used >> column & 1))
      least = std::min(least, cost.values[(image * n + row) * m + column] +
                                  leastCost(cost, image, row + 1, used | 1u << column));
  return least;
}

/// Expects that `function` assigns different columns, with costs of at most `excess` more than the least ones.
void expectAssignment(const std::string &function, int64_t n, int64_t m, double excess) {
  Array cost(Element::F32, {3, n, m});
  for (size_t place = 0; place < cost.values.size(); ++place)
    cost.values[place] = static_cast<double>(place * 7919 % 101) / 101;
  std::vector<double> columns = valuesOf("use vision\nfn f(cost: f32[batch, n, " + std::to_string(m) +
                                             "]) -> i32[batch, n] { vision." + function + " }",
                                         {cost});
  for (int64_t image = 0; image < 3; ++image) {
    double sum = 0;
    std::set<double> used;
    for (int64_t row = 0; row < n; ++row) {
      double column = columns[image * n + row];
      ASSERT_TRUE(column >= 0 && column < double(m) && used.insert(column).second) << function << " " << column;
      sum += cost.values[(image * n + row) * m + static_cast<int64_t>(column)];
    }
    double least = leastCost(cost, image, 0, 0);
    EXPECT_GE(sum, least - 1e-9) << function;
    EXPECT_LE(sum, least + excess + 1e-9) << function << " " << n << " " << m;
  }
}

TEST(Prelude, MatchingsHaveTheLeastCost) {
  for (auto [n, m] : {std::pair(1, 1), {1, 4}, {4, 4}, {3, 8}, {8, 8}})
    expectAssignment("matching(cost)", n, m, 0);
}

TEST(Prelude, AuctionsHaveNearlyTheLeastCost) {
  for (auto [n, m] : {std::pair(1, 1), {5, 5}, {4, 9}, {2, 12}})
    expectAssignment("auction(cost, 0.001, 400)", n, m, 0.001 * n);
  expectAssignment("auction(cost, 0.001, 1)", 6, 6, 6); // the rest is assigned after the rounds
}

/// A pair of infinite cost is avoided, and columns differ even if that is impossible.
TEST(Prelude, AssignmentsAvoidInfiniteCosts) {
  for (std::string function : {"matching", "auction"}) {
    auto columns = [&](std::vector<double> costs) {
      return valuesOf("use vision\nfn f(cost: f32[b, n, 2]) -> i32[b, n] { vision." + function + "(cost) }",
                      {floats({1, 2, 2}, std::move(costs))});
    };
    EXPECT_THAT(columns({0, 1, 5, INFINITY}), are({1, 0})) << function;
    std::vector<double> forced = columns({0, INFINITY, 0, INFINITY});
    EXPECT_NE(forced[0], forced[1]) << function;
  }
}

TEST(Prelude, UnitVectorsHaveAnyLength) {
  auto unit = [&](std::vector<double> x) {
    return valuesOf("use vision\nfn f(x: f32[2]) -> f32[2] { vision.unit(x) }", {floats({2}, std::move(x))});
  };
  EXPECT_NEAR(unit({3e-9, 4e-9})[0], 0.6, 1e-6);
  EXPECT_THAT(unit({0, 0}), are({0, 0}));
}

/// Weights of zero are no division by zero.
TEST(Prelude, SpectralNormalisationOfZeroIsZero) {
  Parameters parameters = {{"conv.weight", floats({1, 1, 1, 2}, {0, 0})},
                           {"conv.right", floats({2}, {1, 1})},
                           {"conv.bias", floats({2}, {0, 3})}};
  EXPECT_THAT(valuesOf("use vision\nmodel M() {\n  conv: vision.SpectralConv(1, 2, 1)\n"
                       "  fn f(x: f32[b, 1, 1, 1]) -> f32[b, 1, 1, 2] { conv(x) }\n}\n",
                       {floats({1, 1, 1, 1}, {2})}, parameters),
              are({0, 3}));
}

TEST(Prelude, GlimpsesAreMeansOfSquares) {
  Array image(Element::F32, {1, 4, 6, 1});
  std::iota(image.values.begin(), image.values.end(), 1);
  auto seen = [&](double x, double y) {
    return valuesOf("use vision\nfn f(image: f32[b, 4, 6, 1], at: f32[b, 2]) -> f32[b, 2, 2, 2, 1] {"
                    " vision.glimpse(image, at, 2, 2) }",
                    {image, floats({1, 2}, {x, y})});
  };
  // rows of 6 pixels: 1 to 6, 7 to 12, 13 to 18, 19 to 24
  EXPECT_THAT(seen(0, 0), are({9, 10, 15, 16, 5.5, 7.5, 17.5, 19.5}));
  EXPECT_THAT(seen(-1, -1), are({0, 0, 0, 1, 0, 0, 0, 4.5}));
  EXPECT_THAT(seen(1e30, 1e30), are({0, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_THAT(valuesOf("use vision\nfn f(image: f32[b, 4, 6, 1], at: f32[b, 2]) -> f32[b, 1, 1, 1, 1] {"
                       " vision.glimpse(image, at, 1, 1) }",
                       {image, floats({1, 2}, {0, 0})}),
              are({16}))
      << "an odd width";
}

/// The buckets of T5 with 32 buckets: a bias whose table has the number of the bucket.
TEST(Prelude, RelativeBiasHasTheBucketsOfT5) {
  Parameters parameters = {{"bias.weight", Array(Element::F32, {32, 1})}};
  std::iota(parameters["bias.weight"].values.begin(), parameters["bias.weight"].values.end(), 0);
  auto buckets = [&](const std::string &causal) {
    return valuesOf("use nn\nmodel M() {\n  bias: nn.RelativeBias(1, causal: " + causal +
                        ")\n  fn f(i: i32[n]) -> f32[n] { [k] => bias(0, i[k]) }\n}\n",
                    {integers({12}, {0, 1, 7, 12, 40, 127, 500, -1, -7, -12, -40, -500})}, parameters);
  };
  EXPECT_THAT(buckets("true"), are({0, 1, 7, 12, 23, 31, 31, 0, 0, 0, 0, 0}));
  EXPECT_THAT(buckets("false"), are({0, 1, 7, 9, 12, 15, 15, 17, 23, 25, 28, 31}));
}

TEST(Prelude, AnAdapterAddsAProductOfLowRank) {
  Parameters parameters = {{"w.weight", floats({2, 3}, {1, 0, 0, 0, 1, 0})},
                           {"base_model.model.w.lora_A.weight", floats({1, 3}, {1, 2, 3})},
                           {"base_model.model.w.lora_B.weight", floats({2, 1}, {4, -1})}};
  EXPECT_THAT(valuesOf("use nn\nuse adapters\nmodel M() {\n"
                       "  w: nn.Linear(3, 2, false) with adapters.LoRA(1, 0.5) at \"w\"\n"
                       "  fn f(x: f32[n, 3]) -> f32[n, 2] { w(x) }\n}",
                       {floats({2, 3}, {1, 1, 1, 0, 0, 2})}, parameters),
              are({1 + 0.5 * 4 * 6, 1 - 0.5 * 6, 0.5 * 4 * 6, -0.5 * 6}));
}

} // namespace
