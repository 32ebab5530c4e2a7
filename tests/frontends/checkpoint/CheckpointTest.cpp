// Tests the model files that checkpoints are imported to, and the messages about config.json.
#include "frontends/checkpoint/Checkpoint.h"
#include "tests/support/TemporaryFolder.h"
#include <fstream>
#include <gmock/gmock.h>

using namespace attnc;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

/// The import of a config.json with this content, in a folder named `small`.
class Import {
public:
  explicit Import(const std::string &config) : temporary(testing::TempDir() + "checkpoint") {
    std::filesystem::create_directory(folder());
    std::ofstream(folder() + "/config.json") << config;
    llvm::Expected<ImportedCheckpoint> imported = importCheckpoint(folder());
    if (imported)
      result = std::move(*imported);
    else
      message = withoutFolder(llvm::toString(imported.takeError()));
  }

  std::vector<std::string> warnings() const {
    std::vector<std::string> texts;
    for (const std::string &warning : result.warnings)
      texts.push_back(withoutFolder(warning));
    return texts;
  }

  ImportedCheckpoint result;
  std::string message;

private:
  std::string folder() const { return (temporary.path() / "small").string(); }
  std::string withoutFolder(std::string text) const {
    for (size_t at; (at = text.find(folder() + "/")) != std::string::npos;)
      text.erase(at, folder().size() + 1);
    return text;
  }

  TemporaryFolder temporary;
};

/// A config.json of a Llama with further keys.
std::string llama(const std::string &more) {
  return R"({"model_type": "llama", "vocab_size": 96, "hidden_size": 32, "intermediate_size": 56,
    "num_hidden_layers": 3, "num_attention_heads": 4)" +
         more + "}";
}

TEST(Checkpoint, BecomesAModelFile) {
  Import import(llama(R"(, "num_key_value_heads": 2, "max_position_embeddings": 64, "rms_norm_eps": 1e-05,
    "eos_token_id": [91, 92], "tie_word_embeddings": true)"));
  EXPECT_EQ(import.message, "");
  EXPECT_EQ(import.result.text, R"(// Made by `attnc import` from config.json of small.
use decoding
use models.llama
use models.rotary

model Llama {
  decoder: llama.Decoder(
    vocab: 96,
    context: 64,
    dim: 32,
    hidden: 56,
    layers: 3,
    heads: 4,
    kv_heads: 2,
    head_dim: 8,
    frequency: pair => rotary.plain(pair, 8, base: 10000.0),
    epsilon: 1e-05,
    tied: true) as ""

  /// The logits of the next token at each position.
  fn logits(tokens: i32[batch, seq <= 64]) -> f32[batch, seq, 96] {
    decoder.logits_of(decoder.features(tokens))
  }

  /// The logits of the next token after the last position.
  fn last(tokens: i32[batch, seq <= 64]) -> f32[batch, 96] {
    let x = decoder.features(tokens)
    decoder.logits_of([b] => x[b, seq - 1])
  }
}

export logits
export next = incremental(last, along: seq)
export write = decode(next, with: draw, stop: 91, at_most: 63)
)");
  EXPECT_THAT(import.warnings(), IsEmpty());
}

TEST(Checkpoint, KeysThatAreMissingOrNullHaveTheDefaultsOfTheFamily) {
  Import import(llama(R"(, "num_key_value_heads": null)"));
  EXPECT_THAT(import.result.text, HasSubstr("kv_heads: 4,"));
  EXPECT_THAT(import.result.text, HasSubstr("context: 2048,"));
  EXPECT_THAT(import.result.text, HasSubstr("epsilon: 1e-06)"));
  EXPECT_THAT(import.result.text, HasSubstr("draw, at_most: 256)"));
}

TEST(Checkpoint, RotaryPositionsOfOlderAndNewerFiles) {
  Import older(llama(R"(, "rope_theta": 500000, "rope_scaling": {"type": "linear", "factor": 4})"));
  EXPECT_THAT(older.result.text, HasSubstr("rotary.linear(pair, 8, base: 500000.0, factor: 4.0)"));
  Import newer(llama(R"(, "rope_parameters": {"rope_type": "linear", "factor": 4, "rope_theta": 500000.0})"));
  EXPECT_THAT(newer.result.text, HasSubstr("rotary.linear(pair, 8, base: 500000.0, factor: 4.0)"));
}

TEST(Checkpoint, YarnAlsoScalesTheFeatures) {
  Import import(llama(R"(, "rope_scaling": {"rope_type": "yarn", "factor": 32, "beta_fast": 16, "truncate": false,
    "original_max_position_embeddings": 128})"));
  EXPECT_THAT(import.result.text, HasSubstr("rotary.yarn(pair, 8, base: 10000.0, factor: 32.0, context: 128, "
                                            "fast: 16.0, whole: false),\n    gain: 1.34657"));
}

TEST(Checkpoint, UnknownKeysAreWarningsInAlphabeticalOrder) {
  Import import(llama(R"(, "zeta": [1, 2], "alpha": "x", "nothing": null)"));
  EXPECT_THAT(import.warnings(), ElementsAre("config.json: the key alpha = \"x\" is not known, and is ignored",
                                             "config.json: the key zeta = [1,2] is not known, and is ignored"));
}

TEST(Checkpoint, AllProblemsAreReportedTogether) {
  Import import(R"({"model_type": "llama", "vocab_size": 0, "hidden_size": "32", "intermediate_size": 56,
    "num_hidden_layers": 3.5, "num_attention_heads": 4, "num_key_value_heads": 3, "hidden_act": "gelu",
    "tie_word_embeddings": "yes", "rms_norm_eps": [], "eos_token_id": "end",
    "quantization_config": {"quant_method": "gptq"}})");
  EXPECT_EQ(
      import.message,
      R"(config.json: quantization_config: found {"quant_method":"gptq"}, expected none: quantised checkpoints are not supported
config.json: vocab_size: found 0, expected a positive whole number
config.json: hidden_size: found "32", expected a positive whole number
config.json: eos_token_id: found "end", expected a whole number, or a list of them
config.json: num_hidden_layers: found 3.5, expected a positive whole number
config.json: num_key_value_heads: found 3, expected a divisor of num_attention_heads
config.json: head_dim: found nothing, expected an even number
config.json: rms_norm_eps: found [], expected a number
config.json: hidden_act: found "gelu", expected "silu"
config.json: tie_word_embeddings: found "yes", expected true or false)");
}

TEST(Checkpoint, UnsupportedRotaryPositions) {
  EXPECT_EQ(Import(llama(R"(, "rope_scaling": {"rope_type": "dynamic"})")).message,
            "config.json: rope_scaling.rope_type: found \"dynamic\", expected default, linear, llama3 or yarn");
  EXPECT_EQ(
      Import(llama(R"(, "rope_scaling": {"rope_type": "linear", "factor": 2, "new": 1})")).message,
      "config.json: rope_scaling: found {\"factor\":2,\"new\":1,\"rope_type\":\"linear\"}, expected no key new = 1");
  EXPECT_EQ(Import(llama(R"(, "rope_scaling": {"rope_type": "llama3", "factor": "8"})")).message,
            "config.json: rope_scaling.factor: found \"8\", expected a number\n"
            "config.json: rope_scaling.low_freq_factor: found nothing, expected a number\n"
            "config.json: rope_scaling.high_freq_factor: found nothing, expected a number");
}

TEST(Checkpoint, UnknownFamily) {
  EXPECT_EQ(Import(R"({"model_type": "lama"})").message,
            "config.json: model_type: 'lama' is not supported, expected one of gemma2, gemma3_text, llama, mistral, "
            "qwen2, qwen3; did you "
            "mean `llama`?");
  EXPECT_EQ(Import("{}").message,
            "config.json: model_type is missing, expected one of gemma2, gemma3_text, llama, mistral, qwen2, qwen3");
}

TEST(Checkpoint, FilesThatAreNoConfiguration) {
  EXPECT_THAT(Import("[]").message, HasSubstr("config.json: expected an object"));
  EXPECT_THAT(Import("{").message, HasSubstr("config.json: "));
  auto missing = importCheckpoint("/nonexistent");
  EXPECT_EQ(llvm::toString(missing.takeError()), "can't read /nonexistent/config.json: No such file or directory");
}

TEST(Checkpoint, BuffersAreNoParameters) {
  EXPECT_TRUE(isBuffer("model.layers.0.self_attn.rotary_emb.inv_freq"));
  EXPECT_TRUE(isBuffer("lm_head.weight"));
  EXPECT_FALSE(isBuffer("model.layers.0.self_attn.q_proj.weight"));
  EXPECT_FALSE(isBuffer("my_lm_head.weight"));
}

} // namespace
