// Tests the surrogate gradients of discrete weights.
#include "tests/compiler/Derive/Derived.h"
#include <cmath>

using namespace attnc;

namespace {

/// Returns gradients of a scalar expression of attention with respect to scores s[n, m] and values v[m].
std::vector<Array> gradientsOf(const std::string &body, std::vector<Array> inputs) {
  return Derived("fn f(s: f32[n, m], v: f32[m]) -> f32 { " + body + " }\n", std::move(inputs)).gradients();
}

TEST(Normaliser, HardPassesTheGradientOfASoftmax) {
  std::vector<Array> inputs = {draw({3, 5}), draw({5}, 2)};
  std::string rest = ", mask: j <= i + 1, value: v[j] })";
  std::vector<Array> hard = gradientsOf("sum([i] => attend j { score: s[i, j], by: hard" + rest, inputs);
  std::vector<Array> soft = gradientsOf("sum([i] => attend j { score: s[i, j]" + rest, inputs);
  ASSERT_EQ(hard.size(), 3u);
  ASSERT_EQ(soft.size(), 3u);
  for (size_t element = 0; element < hard[1].values.size(); ++element)
    EXPECT_NEAR(hard[1].values[element], soft[1].values[element], 1e-12) << element;
  double chosen = 0;
  for (double element : hard[2].values) {
    EXPECT_EQ(element, std::floor(element)) << "a value that is chosen counts whole";
    chosen += element;
  }
  EXPECT_EQ(chosen, 3) << "a row chooses one";
}

TEST(Normaliser, ASampleTellsNothingOfItsScores) {
  std::vector<Array> inputs = {draw({3, 5}), draw({5}, 2), Array(Element::I32, {}, 3.0), Array(Element::I32, {}, 1.0)};
  std::vector<Array> found = gradientsOf("sum([i] => attend j { score: s[i, j], by: sample, value: v[j] })", inputs);
  for (double element : found[1].values)
    EXPECT_EQ(element, 0);
}

/// The mean over draws of reward(k) d log p(k) is the gradient of the mean reward; the frequency of each key is its
/// probability.
TEST(Normaliser, ScoreFunction) {
  const std::vector<double> scores = {0.3, -0.9, 1.1, 0.2}, rewards = {2, -1, 0.5, 3};
  Array s(Element::F32, {1, 4}), v(Element::F32, {4});
  s.values = scores;
  v.values = rewards;
  Array step(Element::I32, {}, 0.0);
  std::string body = "let (r, logp) = [i] => attend j { score: s[i, j], by: sample(2), value: v[j] } yields (value, "
                     "logp)\n sum(stop(r) * logp)";
  Derived program("fn f(s: f32[n, m], v: f32[m]) -> f32 { " + body + " }\n", {s, v, step, step});
  double sum = 0;
  std::vector<double> shares;
  for (double score : scores)
    sum += shares.emplace_back(std::exp(score / 2));
  std::map<size_t, std::vector<double>> ofChoice;
  std::vector<double> counts(scores.size());
  const int draws = 2000;
  for (int seed = 0; seed < draws; ++seed) {
    std::vector<Array> found = program.gradients({s, v, Array(Element::I32, {}, double(seed)), step});
    ASSERT_EQ(found.size(), 3u);
    // reward(k) log p(k) identifies the drawn key k.
    size_t choice = scores.size();
    for (size_t key = 0; key < scores.size(); ++key)
      if (std::abs(found[0].values[0] - rewards[key] * std::log(shares[key] / sum)) < 1e-9)
        choice = key;
    ASSERT_LT(choice, scores.size());
    counts[choice] += 1;
    auto [known, isNew] = ofChoice.emplace(choice, found[1].values);
    ASSERT_TRUE(isNew || known->second == found[1].values);
  }
  double mean = 0;
  for (size_t key = 0; key < scores.size(); ++key)
    mean += shares[key] / sum * rewards[key];
  for (size_t by = 0; by < scores.size(); ++by) {
    double expected = shares[by] / sum * (rewards[by] - mean) / 2, found = 0;
    for (const auto &[choice, gradient] : ofChoice)
      found += shares[choice] / sum * gradient[by];
    EXPECT_NEAR(found, expected, 1e-9) << by;
    double probability = shares[by] / sum;
    EXPECT_NEAR(counts[by] / draws, probability, 4 * std::sqrt(probability * (1 - probability) / draws)) << by;
  }
}

/// The expectation of the gradient of `reinforce` is that of the mean cost, for each baseline; with respect to the
/// baseline it is that of half of the mean squared difference.
TEST(Normaliser, Reinforce) {
  Array s(Element::F32, {1, 4}), v(Element::F32, {4}), baseline(Element::F32, {1}), step(Element::I32, {}, 0.0);
  s.values = {0.3, -0.9, 1.1, 0.2};
  v.values = {2, -1, 0.5, 3};
  baseline.values = {0.7};
  auto programOf = [](const std::string &body) {
    return "use nn\nfn loss(s: f32[n, m], v: f32[m], baseline: f32[n]) -> f32 { " + body +
           " }\nexport f = gradient(loss)\n"; // undifferentiated, `stop` is the identity
  };
  Derived chosen(programOf("let (cost, logp) = [i] => attend j { score: s[i, j], by: sample, value: sq(v[j]) } yields "
                           "(value, logp)\n nn.reinforce(cost, logp, baseline)"),
                 {s, v, baseline, step, step});
  Derived expected(programOf("let cost = [i] => attend j { score: s[i, j], value: sq(v[j]) }\n"
                             "let missed = [i] => attend j { score: stop(s[i, j]), value: sq(stop(sq(v[j])) - "
                             "baseline[i]) / 2.0 }\n mean(cost) + mean(missed)"),
                   {s, v, baseline});
  std::vector<Array> wanted = expected.gradients();
  double total = 0;
  for (double score : s.values)
    total += std::exp(score);
  std::map<double, std::vector<Array>> ofCost; // distinct costs identify the drawn key
  for (int seed = 0; ofCost.size() < v.values.size() && seed < 1000; ++seed) {
    std::vector<Array> found = chosen.gradients({s, v, baseline, Array(Element::I32, {}, double(seed)), step});
    ofCost.emplace(found[0].values[0], found);
  }
  ASSERT_EQ(ofCost.size(), v.values.size()) << "a key was never drawn";
  for (size_t result = 1; result < wanted.size(); ++result)
    for (size_t element = 0; element < wanted[result].values.size(); ++element) {
      double mean = 0;
      for (size_t key = 0; key < v.values.size(); ++key) {
        ASSERT_TRUE(ofCost.count(v.values[key] * v.values[key])) << "the loss is not the cost";
        mean += std::exp(s.values[key]) / total * ofCost[v.values[key] * v.values[key]][result].values[element];
      }
      EXPECT_NEAR(mean, wanted[result].values[element], 1e-9) << "gradient " << result << ", element " << element;
    }
}

/// The gradient with respect to logp[t] is G[t] - baseline[t] with the cost to go G, and that with respect to the
/// baseline is its negative, both divided by the number of rows; costs have none. Nothing is read behind a row's end.
TEST(Normaliser, ReinforceInTimeSteps) {
  const double discount = 0.5;
  Array cost = draw({3, 4}), logp = draw({3, 4}, 2), baseline = draw({3, 4}, 3), length = integers({3}, {4, 2, 0});
  double total = 0;
  std::vector<double> left(12), advantage(12);
  for (int row = 0; row < 3; ++row)
    for (int t = 3; t >= 0; --t) {
      int place = 4 * row + t;
      if (t >= length.values[row]) {
        for (Array *each : {&cost, &logp, &baseline})
          each->values[place] = notANumber;
        continue;
      }
      left[place] = cost.values[place] + (t + 1 < length.values[row] ? discount * left[place + 1] : 0);
      advantage[place] = (left[place] - baseline.values[place]) / 3;
      total += cost.values[place] / 3;
    }
  Derived program("use nn\nfn loss(cost: f32[n, m], logp: f32[n, m], baseline: f32[n, m], length: i32[n]) -> f32 {\n"
                  "  nn.reinforce_steps(cost, logp, baseline, length, discount: 0.5)\n}\n"
                  "export f = gradient(loss)\n",
                  {cost, logp, baseline, length});
  std::vector<Array> found = program.gradients();
  ASSERT_EQ(found.size(), 4u);
  EXPECT_NEAR(found[0].values[0], total, 1e-12);
  for (int place = 0; place < 12; ++place) {
    EXPECT_EQ(found[1].values[place], 0) << place;
    EXPECT_NEAR(found[2].values[place], advantage[place], 1e-12) << place;
    EXPECT_NEAR(found[3].values[place], -advantage[place], 1e-12) << place;
  }
}

TEST(Normaliser, LogpOfARowWithoutKeysIsZero) {
  std::vector<Array> inputs = {draw({2, 3}), draw({3}, 2), Array(Element::I32, {}, 3.0), Array(Element::I32, {}, 1.0)};
  std::string body = "let (r, logp) = [i] => attend j { score: s[i, j], mask: j < i, by: sample, value: v[j] } yields "
                     "(value, logp)\n logp[0] + sum(r) * 0.0";
  std::vector<Array> found = gradientsOf(body, inputs);
  EXPECT_EQ(found[0].values[0], 0);
  for (double element : found[1].values)
    EXPECT_EQ(element, 0);
}

} // namespace
