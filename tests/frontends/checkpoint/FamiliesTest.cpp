// Compares imported checkpoints with an independent reference (tests/models): small random instances of each family,
// whole and, if they are decoders, position by position.
#include "compiler/Pipeline/Compile.h"
#include "tests/support/TemporaryFolder.h"
#include "tools/attnc/Call/LoadedModel.h"
#include "tools/attnc/Call/Runner.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
#include <numeric>

using namespace attnc;

namespace {

constexpr double tolerance = 1e-4; ///< of the largest element of an output

constexpr const char *decoders[] = {"deepseek-v2",
                                    "deepseek-v3",
                                    "deepseek-v3-plain",
                                    "gemma2",
                                    "gemma2-defaults",
                                    "gemma3",
                                    "gemma3-types",
                                    "gpt-oss",
                                    "gpt-oss-defaults",
                                    "gpt2",
                                    "kimi-linear",
                                    "llama3",
                                    "llama3-tied",
                                    "llama-biased",
                                    "mamba2",
                                    "mamba2-groups",
                                    "mamba2-limited",
                                    "mistral",
                                    "mistral-nemo",
                                    "mixtral",
                                    "qwen3-moe",
                                    "qwen3-moe-mixed",
                                    "phi3",
                                    "phi3-4k",
                                    "phi3-short",
                                    "qwen2",
                                    "qwen2-yarn",
                                    "qwen3",
                                    "qwen3-biased",
                                    "qwen3-next"};
constexpr const char *encoderDecoders[] = {"bart", "t5", "flan-t5", "whisper", "whisper-scaled"};
constexpr const char *others[] = {"bert",          "bert-base",  "bert-classifier",  "bert-tokens", "roberta",
                                  "xlm-roberta",   "modernbert", "modernbert-types", "vit",         "vit-pooled",
                                  "clip",          "clip-text",  "clip-vision",      "siglip",      "siglip-text",
                                  "siglip-vision", "dit"};

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
  std::map<std::string, HostTensor> tensors; ///< inputs and expected outputs by name
  std::vector<std::string> outputs;          ///< the entry points that are compared with a tensor of their name

  explicit Instance(const std::string &variant) {
    TemporaryFolder temporary(testing::TempDir() + "families");
    std::string folder = (temporary.path() / variant).string();
    std::string command = "/usr/bin/python3 -B " ATTNC_ROOT "/tests/models/make.py " + variant + " " + folder;
    if (std::system(command.c_str()) != 0) {
      ADD_FAILURE() << command;
      return;
    }
    readTensors(folder);
    std::vector<std::string> entries = outputs;
    if (llvm::is_contained(decoders, variant) || llvm::is_contained(encoderDecoders, variant))
      entries.insert(entries.end(), {"next", "next_prefill"});
    if (llvm::is_contained(encoderDecoders, variant))
      entries.emplace_back("next_begin");
    load(folder, entries);
  }

  int64_t entry(llvm::StringRef name) const {
    const attn_model &model = loaded->model();
    for (int64_t number = 0; number < model.entry_count; ++number)
      if (model.entries[number].name == name)
        return number;
    ADD_FAILURE() << "no entry point " << name.str();
    return 0;
  }

private:
  void readTensors(const std::string &folder) {
    for (const auto &file : std::filesystem::directory_iterator(folder))
      if (file.path().extension() == ".npy")
        tensors[file.path().stem().string()] = valueOf(readTensor(file.path().string()));
    for (const char *output : {"features", "pooled", "text_embedding", "image_embedding", "logits", "sample"})
      if (tensors.count(output))
        outputs.emplace_back(output);
    if (auto tokens = tensors.find("tokens"); tokens != tensors.end())
      addLength(tokens->second.shape[0], tokens->second.shape[1]);
    if (tensors.count("decoder_tokens")) {
      tensors["source"] = std::move(tensors["tokens"]);
      tensors["source_length"] = std::move(tensors["length"]);
      tensors["tokens"] = std::move(tensors["decoder_tokens"]);
    }
  }

  /// Adds the input `length`: the sums of the mask, or all tokens of each row.
  void addLength(int64_t batch, int64_t seq) {
    HostTensor &length = tensors.try_emplace("length", ATTN_I32, std::vector<int64_t>{batch}).first->second;
    std::fill_n(length.integers(), batch, int32_t(seq));
    if (auto mask = tensors.find("attention_mask"); mask != tensors.end())
      for (int64_t row = 0; row < batch; ++row)
        length.integers()[row] =
            std::accumulate(mask->second.integers() + row * seq, mask->second.integers() + (row + 1) * seq, 0);
  }

  void load(const std::string &folder, const std::vector<std::string> &entries) {
    Compilation made;
    CompileOptions options;
    options.input = folder;
    options.entries = entries;
    if (llvm::StringRef(folder).ends_with("/phi3"))
      options.settings = {{"long", "true"}};
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
    if (failure(runner->start(1)) || failure(runner->loadWeights({folder}, 0, 0)))
      runner.reset();
  }
};

/// The instance of a variant, which exists until the process ends.
Instance &instanceOf(const std::string &variant) {
  static std::map<std::string, Instance> instances;
  return instances.try_emplace(variant, variant).first->second;
}

/// The tolerance of the elements of an output.
double boundOf(const HostTensor &expected) {
  double largest = 0;
  for (int64_t i = 0; i < expected.count(); ++i)
    largest = std::max(largest, std::fabs(expected.at(i)));
  return tolerance * largest;
}

class Families : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override { ASSERT_TRUE(runner); }

  /// The results of an entry point by name, for the inputs of the instance.
  std::map<std::string, HostTensor> run(llvm::StringRef name) {
    int64_t number = instance.entry(name);
    const attn_entry_info &info = instance.loaded->model().entries[number];
    std::vector<HostTensor> inputs;
    for (int32_t i = 0; i < info.input_count; ++i)
      inputs.push_back(instance.tensors.at(info.tensors[i].name));
    std::map<std::string, HostTensor> named;
    for (HostTensor &result : valueOf(runner->run(number, inputs)))
      named[info.tensors[info.input_count + int32_t(named.size())].name] = std::move(result);
    return named;
  }

  /// Whether an element of an output with the shape [batch, seq, ..] is that of padding.
  bool isPadding(const HostTensor &output, int64_t element) const {
    auto mask = instance.tensors.find("attention_mask");
    if (mask == instance.tensors.end() || output.shape.size() < 3 || output.shape[1] != mask->second.shape[1])
      return false;
    return mask->second.at(element * mask->second.count() / output.count()) == 0;
  }

  Instance &instance = instanceOf(GetParam());
  std::optional<Runner> &runner = instance.runner;
};

class Decoders : public Families {
protected:
  /// Calls `next` or `next_prefill` with the positions [from, from + count), and returns the logits after the last one.
  HostTensor follow(llvm::StringRef name, int64_t from, int64_t count) {
    int64_t number = instance.entry(name);
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
      if (auto other = given.find(input.str()); other != given.end()) {
        inputs.push_back(other->second);
        continue;
      }
      EXPECT_TRUE(input == "length" || input == "count") << input.str();
      HostTensor &each = inputs.emplace_back(ATTN_I32, std::vector<int64_t>{batch});
      std::fill_n(each.integers(), batch, int32_t(input == "length" ? from : count));
    }
    if (states.empty())
      for (int32_t i = info.input_count - info.state_count; i < info.input_count; ++i) {
        const int64_t dimensions[] = {batch, seq, seq, seq};
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
    double bound = boundOf(expected);
    for (int64_t row = 0; row < expected.shape[0]; ++row)
      for (int64_t token = 0; token < vocab; ++token)
        ASSERT_NEAR(found.at(row * vocab + token), expected.at((row * seq + position) * vocab + token), bound)
            << "row " << row << ", position " << position << ", token " << token;
  }

  const HostTensor &tokens = instance.tensors["tokens"], &expected = instance.tensors["logits"];
  std::vector<HostTensor> states;
  std::map<std::string, HostTensor> given; ///< inputs of all calls, besides the text
};

TEST_P(Families, OutputsAgreeWithTheReference) {
  ASSERT_FALSE(instance.outputs.empty());
  for (const std::string &output : instance.outputs) {
    const HostTensor found = run(output)[output];
    const HostTensor &expected = instance.tensors.at(output);
    ASSERT_EQ(found.shape, expected.shape) << output;
    double bound = boundOf(expected), worst = 0;
    for (int64_t i = 0; i < expected.count(); ++i)
      if (!isPadding(expected, i)) {
        ASSERT_NEAR(found.at(i), expected.at(i), bound) << output << ", element " << i;
        worst = std::max(worst, std::fabs(found.at(i) - expected.at(i)));
      }
    RecordProperty(output, fmt::format("{:.1e} of the largest", worst / bound * tolerance));
  }
}

TEST_P(Decoders, LogitsPositionByPositionAgreeWithTheReference) {
  int64_t first = 6, seq = tokens.shape[1];
  if (attn_find_entry(&instance.loaded->model(), "next_begin") >= 0)
    given = run("next_begin");
  if (instance.tensors.count("source_length"))
    given["source_length"] = instance.tensors["source_length"];
  expectAt(follow("next_prefill", 0, first), first - 1);
  for (int64_t position = first; position + 5 < seq; ++position)
    expectAt(follow("next", position, 1), position);
  expectAt(follow("next_prefill", seq - 5, 5), seq - 1);
}

std::string nameOf(const testing::TestParamInfo<const char *> &info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Decoders, Families, testing::ValuesIn(decoders), nameOf);
INSTANTIATE_TEST_SUITE_P(Others, Families, testing::ValuesIn(others), nameOf);
INSTANTIATE_TEST_SUITE_P(EncoderDecoders, Families, testing::ValuesIn(encoderDecoders), nameOf);
INSTANTIATE_TEST_SUITE_P(Variants, Decoders, testing::ValuesIn(decoders), nameOf);
INSTANTIATE_TEST_SUITE_P(EncoderDecoders, Decoders, testing::ValuesIn(encoderDecoders), nameOf);

} // namespace
