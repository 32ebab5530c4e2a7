// Compares imported checkpoints with an independent reference (tests/models): small random instances of each family,
// whole and position by position.
#include "compiler/Pipeline/Compile.h"
#include "tests/support/TemporaryFolder.h"
#include "tools/attnc/Call/LoadedModel.h"
#include "tools/attnc/Call/Runner.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <gtest/gtest.h>
#include <map>

using namespace attnc;

namespace {

constexpr double tolerance = 1e-4; ///< of the largest logit

bool failure(llvm::Error error) {
  if (!error)
    return false;
  ADD_FAILURE() << llvm::toString(std::move(error));
  return true;
}

template <typename Result> Result valueOf(llvm::Expected<Result> result) {
  if (result)
    return std::move(*result);
  ADD_FAILURE() << llvm::toString(result.takeError());
  return {};
}

/// An instance of a family, imported, compiled and loaded.
struct Instance {
  std::optional<LoadedModel> loaded;
  std::optional<Runner> runner;
  HostTensor tokens, expected;

  explicit Instance(const std::string &variant) {
    TemporaryFolder temporary(testing::TempDir() + "families");
    std::string folder = (temporary.path() / variant).string();
    std::string command = "/usr/bin/python3 -B " ATTNC_ROOT "/tests/models/make.py " + variant + " " + folder;
    if (std::system(command.c_str()) != 0) {
      ADD_FAILURE() << command;
      return;
    }
    tokens = valueOf(readTensor(folder + "/tokens.npy"));
    expected = valueOf(readTensor(folder + "/logits.npy"));
    load(folder);
  }

private:
  void load(const std::string &folder) {
    Compilation made;
    CompileOptions options;
    options.input = folder;
    options.entries = {"logits", "next", "next_prefill"};
    std::string messages;
    llvm::raw_string_ostream stream(messages);
    EXPECT_EQ(compile(options, made, stream), Outcome::Done);
    EXPECT_EQ(messages, "");
    auto object = llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(made.object.data(), made.object.size()));
    auto linked = LoadedModel::fromObject(std::move(object));
    if (failure(linked.takeError()))
      return;
    loaded.emplace(std::move(*linked));
    runner.emplace(loaded->model());
    if (failure(runner->start(1)) || failure(runner->loadWeights(folder, 0, 0)))
      runner.reset();
  }
};

/// The instance of a variant, which exists until the process ends.
Instance &instanceOf(const std::string &variant) {
  static std::map<std::string, Instance> instances;
  return instances.try_emplace(variant, variant).first->second;
}

class Families : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override { ASSERT_TRUE(runner); }

  int64_t entry(llvm::StringRef name) const {
    const attn_model &model = instance.loaded->model();
    for (int64_t number = 0; number < model.entry_count; ++number)
      if (model.entries[number].name == name)
        return number;
    ADD_FAILURE() << "no entry point " << name.str();
    return 0;
  }

  /// Calls `next` or `next_prefill` with the positions [from, from + count), and returns the logits after the last one.
  HostTensor follow(llvm::StringRef name, int64_t from, int64_t count) {
    int64_t number = entry(name);
    const attn_entry_info &info = instance.loaded->model().entries[number];
    int64_t batch = tokens.shape[0], seq = tokens.shape[1];
    std::vector<HostTensor> inputs;
    for (int32_t i = 0; i < info.input_count - info.state_count; ++i) {
      llvm::StringRef input = info.tensors[i].name;
      if (input == "tokens") {
        HostTensor &chunk = inputs.emplace_back(ATTN_I32, std::vector<int64_t>{batch, count});
        for (int64_t row = 0; row < batch; ++row)
          std::copy_n(tokens.integers() + row * seq + from, count, chunk.integers() + row * count);
        continue;
      }
      EXPECT_TRUE(input == "length" || input == "count") << input.str();
      HostTensor &each = inputs.emplace_back(ATTN_I32, std::vector<int64_t>{batch});
      std::fill_n(each.integers(), batch, int32_t(input == "length" ? from : count));
    }
    if (states.empty())
      for (int32_t i = info.input_count - info.state_count; i < info.input_count; ++i) {
        const int64_t dimensions[] = {batch, seq, seq};
        states.emplace_back(attn_dtype(info.tensors[i].dtype), shapeOf(info.tensors[i], dimensions));
      }
    size_t given = inputs.size();
    std::move(states.begin(), states.end(), std::back_inserter(inputs));
    std::vector<HostTensor> results = valueOf(runner->run(number, inputs));
    states.assign(std::make_move_iterator(inputs.begin() + ptrdiff_t(given)), std::make_move_iterator(inputs.end()));
    return results.empty() ? HostTensor() : std::move(results[0]);
  }

  /// Expects the logits `found`, [batch, vocab], after position `position`.
  void expectAt(const HostTensor &found, int64_t position) {
    int64_t seq = expected.shape[1], vocab = expected.shape[2];
    ASSERT_EQ(found.shape, (std::vector<int64_t>{expected.shape[0], vocab}));
    for (int64_t row = 0; row < expected.shape[0]; ++row)
      for (int64_t token = 0; token < vocab; ++token)
        ASSERT_NEAR(found.at(row * vocab + token), expected.at((row * seq + position) * vocab + token), bound())
            << "row " << row << ", position " << position << ", token " << token;
  }

  double bound() const {
    double largest = 0;
    for (int64_t i = 0; i < expected.count(); ++i)
      largest = std::max(largest, std::fabs(expected.at(i)));
    return tolerance * largest;
  }

  Instance &instance = instanceOf(GetParam());
  std::optional<Runner> &runner = instance.runner;
  const HostTensor &tokens = instance.tokens, &expected = instance.expected;
  std::vector<HostTensor> states;
};

TEST_P(Families, LogitsOfATextAgreeWithTheReference) {
  std::vector<HostTensor> inputs = {tokens};
  std::vector<HostTensor> results = valueOf(runner->run(entry("logits"), inputs));
  ASSERT_EQ(results.size(), 1u);
  ASSERT_EQ(results[0].shape, expected.shape);
  for (int64_t i = 0; i < expected.count(); ++i)
    ASSERT_NEAR(results[0].at(i), expected.at(i), bound()) << "element " << i;
}

TEST_P(Families, LogitsPositionByPositionAgreeWithTheReference) {
  int64_t first = 6, seq = tokens.shape[1];
  expectAt(follow("next_prefill", 0, first), first - 1);
  for (int64_t position = first; position + 5 < seq; ++position)
    expectAt(follow("next", position, 1), position);
  expectAt(follow("next_prefill", seq - 5, 5), seq - 1);
}

INSTANTIATE_TEST_SUITE_P(Variants, Families,
                         testing::Values("gemma2", "gemma2-defaults", "gemma3", "gemma3-types", "llama3", "llama3-tied",
                                         "llama-biased", "mistral", "mistral-nemo", "qwen2-yarn", "qwen3",
                                         "qwen3-biased"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

} // namespace
