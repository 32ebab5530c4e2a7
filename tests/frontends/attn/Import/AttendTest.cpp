// Compares attend with its definition, computed here.

#include "tests/frontends/attn/Import/Imported.h"

using namespace attnc;

namespace {

struct Softmax {
  std::vector<double> weights;
  double lse;
};

/// Returns the softmax of a row, where -inf masks a key; the weights of a fully masked row are zero.
Softmax softmax(const std::vector<double> &scores) {
  double sum = 0;
  for (double score : scores)
    sum += std::exp(score);
  Softmax result{{}, std::log(sum)};
  for (double score : scores)
    result.weights.push_back(sum == 0 ? 0 : std::exp(score) / sum);
  return result;
}

double weighted(const std::vector<double> &weights, const std::vector<double> &values) {
  double sum = 0;
  for (size_t i = 0; i < weights.size(); ++i)
    sum += weights[i] * values[i];
  return sum;
}

const Array q = floats({2, 2}, {1, 0, 0.5, -1});
const Array k = floats({3, 2}, {1, 2, -1, 1, 0, 3});
const std::vector<double> value = {1, 10, 100};
const Array v = floats({3}, value);
// The scores q k'.
const std::vector<double> scores0 = {1, -1, 0}, scores1 = {-1.5, -1.5, -3};

const std::string head =
    "fn f(q: f32[n, d], k: f32[m, d], v: f32[m]) -> f32[n] { [i] => attend j { score: dot(q[i], k[j]), ";

TEST(Attend, Softmax) {
  EXPECT_THAT(valuesOf(head + "value: v[j] } }", {q, k, v}),
              are({weighted(softmax(scores0).weights, value), weighted(softmax(scores1).weights, value)}));
}

TEST(Attend, RowsOfValuesAndScale) {
  auto p = softmax({1 / std::sqrt(2.), -1 / std::sqrt(2.), 0}).weights;
  auto result = valuesOf("fn f(q: f32[n, d], k: f32[m, d]) -> f32[n, d] { [i] => attend j { score: dot(q[i], k[j]) / "
                         "sqrt(d), value: k[j] } }",
                         {q, k});
  EXPECT_NEAR(result[0], weighted(p, {1, -1, 0}), 1e-6);
  EXPECT_NEAR(result[1], weighted(p, {2, 1, 3}), 1e-6);
}

TEST(Attend, ARowThatKeepsNothingIsZero) {
  EXPECT_THAT(valuesOf(head + "mask: j < i, value: v[j] } }", {q, k, v}), are({0, 1}));
}

TEST(Attend, MaskFromData) {
  Array length = integers({2}, {1, 2});
  auto p = softmax({-1.5, -1.5}).weights;
  EXPECT_THAT(
      valuesOf("fn f(q: f32[n, d], k: f32[m, d], v: f32[m], length: i32[n]) -> f32[n] { [i] => attend j { score: "
               "dot(q[i], k[j]), mask: j < length[i], value: v[j] } }",
               {q, k, v, length}),
      are({1, weighted(p, {1, 10})}));
}

TEST(Attend, RatioDividesByTheSum) {
  Array s = floats({2, 3}, {1, 2, 1, 0, 0, 0});
  EXPECT_THAT(
      valuesOf("fn f(s: f32[n, m], v: f32[m]) -> f32[n] { [i] => attend j { score: s[i, j], by: ratio, value: v[j] } }",
               {s, v}),
      are({30.25, 0}));
}

TEST(Attend, WithoutValueItIsTheWeights) {
  auto p = softmax(scores0).weights, r = softmax(scores1).weights;
  EXPECT_THAT(
      valuesOf("fn f(q: f32[n, d], k: f32[m, d]) -> f32[n, m] { [i] => attend j { score: dot(q[i], k[j]) } }", {q, k}),
      are({p[0], p[1], p[2], r[0], r[1], r[2]}));
}

TEST(Attend, SeveralResults) {
  auto results =
      run("fn f(q: f32[n, d], k: f32[m, d], v: f32[m]) -> (y: f32[n], lse: f32[n], map: f32[n, m]) {\n"
          "  let (y, lse, map) = [i] => attend j { score: dot(q[i], k[j]), value: v[j] } yields (value, lse, weights)\n"
          "  (y, lse, map)\n}",
          {q, k, v});
  ASSERT_EQ(results.size(), 3u);
  EXPECT_NEAR(results[0].values[0], weighted(softmax(scores0).weights, value), 1e-6);
  EXPECT_THAT(results[1].values, are({softmax(scores0).lse, softmax(scores1).lse}));
  EXPECT_NEAR(results[2].values[5], softmax(scores1).weights[2], 1e-6);
}

TEST(Attend, Weight) {
  auto p = softmax(scores0).weights, r = softmax(scores1).weights;
  for (double &each : p)
    each = each * each;
  for (double &each : r)
    each = each * each;
  EXPECT_THAT(valuesOf(head + "weight: w => w * w, value: v[j] } }", {q, k, v}),
              are({weighted(p, value), weighted(r, value)}));
}

TEST(Attend, Renormalise) {
  auto p = softmax(scores0).weights;
  std::vector<double> gated = {p[0] * 1, p[1] * 10, p[2] * 100};
  double sum = gated[0] + gated[1] + gated[2];
  EXPECT_NEAR(valuesOf(head + "weight: w => w * v[j], renormalise: true, value: v[j] } }", {q, k, v})[0],
              weighted(gated, value) / sum, 1e-6);
}

TEST(Attend, WhatSpeaksOfOneSideIsComputedOutside) {
  auto norm = [](double a, double b) { return std::sqrt(a * a + b * b); };
  double one = norm(1, 0);
  auto p = softmax({1 / (one * norm(1, 2)), -1 / (one * norm(-1, 1)), 0}).weights;
  EXPECT_NEAR(
      valuesOf("fn f(q: f32[n, d], k: f32[m, d], v: f32[m]) -> f32[n] { [i] => attend j { score: dot(q[i], k[j]) / "
               "(norm(q[i]) * norm(k[j])), value: v[j] } }",
               {q, k, v})[0],
      weighted(p, value), 1e-6);
}

TEST(Attend, Additive) {
  auto s = [](double a, double b) { return 2 * std::tanh(a) + 3 * std::tanh(b); };
  Array va = floats({2}, {2, 3});
  auto p = softmax({s(2, 2), s(0, 1), s(1, 3)}).weights;
  EXPECT_NEAR(
      valuesOf("fn f(q: f32[n, d], k: f32[m, d], va: f32[d], v: f32[m]) -> f32[n] { [i] => attend j { score: dot(va, "
               "tanh(q[i] + k[j])), value: v[j] } }",
               {q, k, va, v})[0],
      weighted(p, value), 1e-6);
}

TEST(Attend, SeveralKeysAndGroups) {
  Array keys = floats({1, 3, 2}, k.values), queries = floats({2, 1, 2}, q.values);
  EXPECT_THAT(valuesOf("fn f(q: f32[2, n, d], k: f32[1, m, d], v: f32[m]) -> f32[2, n] { [h, i] => attend j { score: "
                       "dot(q[h, i], k[h / 2, j]), value: v[j] } }",
                       {queries, keys, v}),
              are({weighted(softmax(scores0).weights, value), weighted(softmax(scores1).weights, value)}));
  EXPECT_THAT(
      valuesOf("fn f(q: f32[n, d], k: f32[h, m, d], v: f32[m]) -> f32[n] { [i] => attend (y, x) { score: dot(q[i], "
               "k[y, x]), value: v[x] } }",
               {q, keys, v}),
      are({weighted(softmax(scores0).weights, value), weighted(softmax(scores1).weights, value)}));
}

TEST(Attend, WithoutQueries) {
  EXPECT_THAT(valuesOf("fn f(s: f32[m], v: f32[m]) -> f32 { attend j { score: s[j], value: v[j] } }",
                       {floats({3}, {1, -1, 0}), v}),
              are({weighted(softmax(scores0).weights, value)}));
}

TEST(Attend, AConditionReducedInTheMask) {
  // A query attends to the keys whose features are all near its own.
  EXPECT_THAT(
      valuesOf("fn f(q: f32[n, d], k: f32[m, d], v: f32[m]) -> f32[n] { [i] => attend j { score: 0.0 * v[j], mask: "
               "all(abs(q[i] - k[j]) <= 2.0), value: v[j] } }",
               {q, k, v}),
      are({5.5, 10}));
}

TEST(Attend, TheArgMaxOfAPair) {
  Array w = floats({2, 3, 2}, {0, 1, 1, 0, 0, 5, 3, 1, 0, 2, 1, 1});
  EXPECT_THAT(valuesOf("fn f(w: f32[n, m, k], v: f32[m]) -> f32[n] { [i] => attend j { score: f32(argmax l => w[i, j, "
                       "l]), value: v[j] } }",
                       {w, v}),
              are({weighted(softmax({1, 0, 1}).weights, value), weighted(softmax({0, 1, 0}).weights, value)}));
}

} // namespace
