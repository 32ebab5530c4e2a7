// Tests how training steps depend on each other: over parts of a batch, over other parameters, with other draws.
#include "tests/e2e/CompiledModel.h"
#include "tests/e2e/Subject.h"
#include <cmath>
#include <gtest/gtest.h>

namespace attnc::e2e {
namespace {

using reference::Array;
using reference::Element;

Array drawn(const std::string &seed, const std::vector<int64_t> &shape, int64_t below = 0) {
  Random random(seed);
  Array array(below ? Element::I32 : Element::F32, shape);
  for (double &value : array.values)
    value = below ? static_cast<double>(random.below(below)) : static_cast<float>(random.uniform(-1, 1));
  return array;
}

Array ofShape(Array array, const std::vector<int64_t> &shape) {
  array.shape.assign(shape.begin(), shape.end());
  return array;
}

/// Returns the bytes of the parameter `name` after a call; empty if there is no such parameter.
std::vector<char> parameterOf(const CompiledModel &model, const CallResults &results, const std::string &name) {
  for (size_t number = 0; number < model.parameterNames().size(); ++number)
    if (model.parameterNames()[number].first == name)
      return results.parameters[number];
  return {};
}

TEST(Accumulation, IsTheWholeBatch) {
  const CompiledModel &model = compiledModel("training.attn");
  ASSERT_TRUE(model) << model.message();
  const int64_t parts = 3, rows = 7;
  Array x = drawn("x", {parts * rows, 8}), targets = drawn("targets", {parts * rows}, 3);
  for (auto [whole, accumulated] : {std::pair("plain", "plain_parts"), std::pair("clipped", "clipped_parts")}) {
    CallResults expected = model.call(*model.entry(whole), {x, targets}, {parts * rows}, {});
    CallResults found = model.call(*model.entry(accumulated),
                                   {ofShape(x, {parts, rows, 8}), ofShape(targets, {parts, rows})}, {rows}, {});
    ASSERT_EQ(found.status, ATTN_OK);
    EXPECT_NEAR(elementAt(found.bytes[0], ATTN_F32, 0), elementAt(expected.bytes[0], ATTN_F32, 0), 1e-6);
    for (auto &[name, dtype] : model.parameterNames()) {
      bool isOther = name.starts_with("plain") || name.starts_with("clipped") || dtype != ATTN_F32;
      std::vector<char> wanted = parameterOf(model, expected, name), got = parameterOf(model, found, name);
      for (size_t place = 0; !isOther && place < wanted.size() / 4; ++place)
        ASSERT_NEAR(elementAt(got, ATTN_F32, place), elementAt(wanted, ATTN_F32, place), 2e-5)
            << accumulated << ": " << name << " " << place;
    }
  }
}

/// Both entry points use one arena, which still contains the other's data.
TEST(Adversaries, TrainTheirOwnParametersInOneArena) {
  const CompiledModel &model = compiledModel("adversaries.attn");
  ASSERT_TRUE(model) << model.message();
  const int64_t batch = 9;
  Array z = drawn("z", {batch, 4}), real = drawn("real", {batch, 6}), seed(Element::I32, {}, 3.0);
  const attn_entry_info &judge = *model.entry("train_judge"), &maker = *model.entry("train_maker");
  CallResults judged = model.call(judge, {z, real, seed}, {batch}, {}),
              made = model.call(maker, {z, seed}, {batch}, {});
  auto bytesOf = [&](const attn_entry_info &entry) { return entry.arena_bytes(&batch, 1); };
  std::vector<char> arena(static_cast<size_t>(std::max(bytesOf(judge), bytesOf(maker))) + ATTN_ALIGNMENT, '\x7f');
  char *start = arena.data() + (ATTN_ALIGNMENT - reinterpret_cast<uintptr_t>(arena.data()) % ATTN_ALIGNMENT);
  CallOptions shared;
  shared.arena = start;
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(model.call(judge, {z, real, seed}, {batch}, shared).parameters, judged.parameters);
    EXPECT_EQ(model.call(maker, {z, seed}, {batch}, shared).parameters, made.parameters);
  }
  int changed = 0;
  for (auto &[name, dtype] : model.parameterNames()) {
    Array before = model.parameters().at(name);
    auto isAsBefore = [&](const CallResults &results) {
      std::vector<char> after = parameterOf(model, results, name);
      bool same = true;
      for (size_t place = 0; place < before.values.size(); ++place)
        same &= elementAt(after, ATTN_F32, place) == static_cast<float>(before.values[place]);
      return same;
    };
    if (dtype != ATTN_F32) // step counts
      continue;
    EXPECT_EQ(isAsBefore(judged), !name.starts_with("judge.") && !name.starts_with("train_judge")) << name;
    EXPECT_EQ(isAsBefore(made), !name.starts_with("maker.") && !name.starts_with("train_maker")) << name;
    changed += !isAsBefore(judged) + !isAsBefore(made);
  }
  EXPECT_GT(changed, 20);
}

/// Each module of a list has a running mean of its own.
TEST(States, AreMovedByAStep) {
  const CompiledModel &model = compiledModel("states.attn");
  ASSERT_TRUE(model) << model.message();
  const int64_t batch = 8, dim = 6;
  Array x = drawn("x", {batch, dim}), targets = drawn("targets", {batch}, 3);
  CallResults results = model.call(*model.entry("train"), {x, targets}, {batch}, {});
  ASSERT_EQ(results.status, ATTN_OK);
  for (std::string name : {"first", "norms.0", "norms.1"})
    for (int64_t feature = 0; feature < dim; ++feature) {
      double mean = 0, variance = 0;
      for (int64_t row = 0; row < batch; ++row)
        mean += x.values[row * dim + feature] / batch;
      for (int64_t row = 0; row < batch; ++row)
        variance += std::pow(x.values[row * dim + feature] - mean, 2) / (batch - 1);
      auto expectMoved = [&](const std::string &state, double by) {
        double before = model.parameters().at(state).values[feature];
        EXPECT_NEAR(elementAt(parameterOf(model, results, state), ATTN_F32, feature), before + 0.1 * (by - before),
                    1e-6)
            << state;
      };
      expectMoved(name + ".running_mean", mean);
      expectMoved(name + ".running_var", variance);
    }
}

/// Training steps of counts.attn, which assign the states of a module several times.
class CountedStates : public ::testing::Test {
protected:
  static constexpr int64_t n = 2, t = 4, dim = 3;

  void SetUp() override { ASSERT_TRUE(model) << model.message(); }
  double before(const std::string &name, int64_t d) { return model.parameters().at(name).values[d]; }
  /// The sum of the values of a state after its updates `first` to `last`.
  double sumOfValues(const std::string &name, int64_t d, int64_t first, int64_t last) {
    double sum = 0;
    for (int64_t k = first; k <= last; ++k)
      sum += before(name, d) + double(k);
    return sum;
  }
  double sumOverTime(int64_t row, int64_t d) {
    double sum = 0;
    for (int64_t i = 0; i < t; ++i)
      sum += before("w", d) * xs.values[(row * t + i) * dim + d];
    return sum;
  }
  /// `term` is the addend of a loss for a row and feature; `counts` has the number of updates of each changed state.
  void expectStep(const std::string &entry, const Array &input, const std::map<std::string, int> &counts,
                  const std::function<double(int64_t row, int64_t d)> &term) {
    std::vector<int64_t> sizes(input.shape.begin(), input.shape.end() - 1);
    CallResults results = model.call(*model.entry(entry), {input}, sizes, {});
    ASSERT_EQ(results.status, ATTN_OK) << entry;
    double loss = 0;
    for (int64_t row = 0; row < n; ++row)
      for (int64_t d = 0; d < dim; ++d)
        loss += term(row, d);
    EXPECT_NEAR(elementAt(results.bytes[0], ATTN_F32, 0), loss, 1e-5 * std::fabs(loss) + 1e-4) << entry;
    ASSERT_EQ(results.parameters.empty(), counts.empty()) << entry;
    for (auto &[name, dtype] : model.parameterNames())
      for (int64_t d = 0; !counts.empty() && name.ends_with(".seen") && d < dim; ++d)
        EXPECT_NEAR(elementAt(parameterOf(model, results, name), ATTN_F32, d),
                    before(name, d) + (counts.contains(name) ? counts.at(name) : 0), 1e-5)
            << entry << ": " << name;
  }

  const CompiledModel &model = compiledModel("counts.attn");
  Array x = drawn("x", {n, dim}), xs = drawn("xs", {n, t, dim});
};

TEST_F(CountedStates, HaveTheLastValueAfterCallsAndScans) {
  expectStep("infer", x, {}, [&](int64_t row, int64_t d) {
    return before("w", d) * (x.values[row * dim + d] + 2 * before("a.seen", d));
  });
  expectStep("twice_step", x, {{"a.seen", 2}}, [&](int64_t row, int64_t d) {
    return before("w", d) * (x.values[row * dim + d] + sumOfValues("a.seen", d, 1, 2));
  });
  expectStep("steps_step", xs, {{"a.seen", t}},
             [&](int64_t row, int64_t d) { return sumOverTime(row, d) + sumOfValues("a.seen", d, 1, t); });
  expectStep("around_step", xs, {{"a.seen", 2 * t + 2}, {"list.0.seen", 1}, {"list.1.seen", 1}},
             [&](int64_t row, int64_t d) {
               return sumOverTime(row, d) + sumOfValues("a.seen", d, 1, 2 * t + 2) +
                      sumOfValues("list.0.seen", d, 1, 1) + sumOfValues("list.1.seen", d, 1, 1);
             });
  expectStep("reads_step", xs, {{"a.seen", 1}}, [&](int64_t row, int64_t d) {
    double seen = before("a.seen", d) + 1;
    return xs.values[row * t * dim + d] + seen + sumOverTime(row, d) * seen;
  });
}

TEST_F(CountedStates, HaveTheLastValueAfterLoopsOverTheirList) {
  std::map<std::string, int> counts;
  for (const char *name : {"list.0.seen", "list.1.seen", "nested.0.inner.0.seen", "nested.0.inner.1.seen",
                           "nested.1.inner.0.seen", "nested.1.inner.1.seen"})
    counts[name] = 3;
  expectStep("lists_step", x, counts, [&](int64_t row, int64_t d) {
    double sum = before("w", d) * x.values[row * dim + d] + sumOfValues("list.1.seen", d, 1, 1) +
                 sumOfValues("list.0.seen", d, 3, 3) + sumOfValues("nested.1.inner.0.seen", d, 3, 3);
    for (const auto &[name, count] : counts)
      sum += sumOfValues(name, d, 1, count);
    return sum;
  });
}

/// Weights with spectral normalisation have the largest singular value 1 after enough power iterations.
TEST(SpectralConv, HasTheSpectralNormOne) {
  const CompiledModel &model = compiledModel("images.attn");
  ASSERT_TRUE(model) << model.message();
  CallResults results = model.call(*model.entry("spectrum_step"), {Array(Element::F32, {100})}, {100}, {});
  ASSERT_EQ(results.status, ATTN_OK);
  EXPECT_NEAR(elementAt(results.bytes[0], ATTN_F32, 0), 1, 1e-3);
}

TEST(Draws, DependOnTheSeed) {
  const CompiledModel &model = compiledModel("random.attn");
  ASSERT_TRUE(model) << model.message();
  Array x = drawn("x", {2, 9}, 7), targets = drawn("targets", {2, 9}, 7);
  auto lossWith = [&](double seed) {
    CallResults results = model.call(*model.entry("train"), {x, targets, Array(Element::I32, {}, seed)}, {2, 9}, {});
    return elementAt(results.bytes[0], ATTN_F32, 0);
  };
  EXPECT_EQ(lossWith(1), lossWith(1));
  EXPECT_NE(lossWith(1), lossWith(2));
}

/// Moments of 80000 numbers, within four standard errors, and the same bits at any number of threads.
TEST(Draws, NormalNumbersAreStandardNormal) {
  const CompiledModel &model = compiledModel("text.attn");
  ASSERT_TRUE(model) << model.message();
  const int64_t rows = 8000, columns = 10;
  std::vector<Array> inputs = {Array(Element::F32, {rows, columns}), Array(Element::I32, {}, 7.0),
                               Array(Element::I32, {}, 3.0)};
  std::map<std::string, int64_t> chunks;
  CallResults found = model.call(*model.entry("noise"), inputs, {rows, columns}, {.chunks = &chunks});
  ASSERT_EQ(found.status, ATTN_OK);
  for (int64_t workers : {2, 7})
    EXPECT_TRUE(model.call(*model.entry("noise"), inputs, {rows, columns}, {.workers = workers}).bytes == found.bytes);
  for (const auto &[kernel, count] : chunks)
    EXPECT_GT(count, 7) << kernel << " is not split";
  // Expectations of x, x^2, x^3, x^4, and x x' for neighbours x and x', with the variances of these numbers.
  const double count = double(rows * columns);
  std::vector<double> sums(5), expected = {0, 1, 0, 3, 0}, variances = {1, 2, 15, 96, 1};
  for (size_t place = 0; place < size_t(rows * columns); ++place) {
    double x = elementAt(found.bytes[0], ATTN_F32, place);
    for (int power = 1; power <= 4; ++power)
      sums[size_t(power) - 1] += std::pow(x, power);
    if (place > 0)
      sums[4] += x * elementAt(found.bytes[0], ATTN_F32, place - 1);
  }
  for (size_t moment = 0; moment < sums.size(); ++moment)
    EXPECT_NEAR(sums[moment] / count, expected[moment], 4 * std::sqrt(variances[moment] / count)) << moment;
}

} // namespace
} // namespace attnc::e2e
