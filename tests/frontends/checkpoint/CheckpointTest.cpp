// Tests the model files that checkpoints of decoders are imported to, and the messages about config.json.
#include "tests/frontends/checkpoint/Import.h"

using namespace attnc;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

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
// `write` ends a text at the token 91, but not at the others of `eos_token_id`: 92.
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
                                            "whole: false, fast: 16.0),\n    gain: 1.34657"));
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
            "config.json: rope_scaling.low_freq_factor: found nothing, expected a number\n"
            "config.json: rope_scaling.high_freq_factor: found nothing, expected a number\n"
            "config.json: rope_scaling.factor: found \"8\", expected a number");
}

TEST(Checkpoint, WindowsOfQwenBeginAtALayer) {
  auto qwen = [](const std::string &more) {
    return R"({"model_type": "qwen2", "vocab_size": 96, "hidden_size": 32, "intermediate_size": 56, "num_hidden_layers": 4,
      "num_attention_heads": 4, "num_key_value_heads": 2, "sliding_window": 6)" +
           more + "}";
  };
  EXPECT_THAT(Import(qwen("")).result.text, Not(HasSubstr("window")));
  EXPECT_THAT(Import(qwen(R"(, "use_sliding_window": true)")).result.text, Not(HasSubstr("window")));
  EXPECT_THAT(Import(qwen(R"(, "use_sliding_window": true, "max_window_layers": 0)")).result.text,
              AllOf(HasSubstr("window: 6"), Not(HasSubstr("full_layers"))));
  EXPECT_THAT(Import(qwen(R"(, "use_sliding_window": true, "max_window_layers": 3)")).result.text,
              HasSubstr("window: 6,\n    full_layers: 3"));
  const std::string types = R"(, "layer_types": ["full_attention", "sliding_attention", "sliding_attention", )";
  EXPECT_THAT(Import(qwen(types + R"("sliding_attention"])")).result.text, HasSubstr("full_layers: 1"));
  EXPECT_EQ(
      Import(qwen(types + R"("full_attention"])")).message,
      R"(config.json: layer_types: found ["full_attention","sliding_attention","sliding_attention","full_attention"], )"
      "expected for each layer full_attention, or from one layer on sliding_attention");
}

TEST(Checkpoint, PeriodsOfGemma) {
  auto gemma = [](const std::string &more) {
    return R"({"model_type": "gemma3_text", "vocab_size": 96, "hidden_size": 40, "intermediate_size": 56,
      "num_hidden_layers": 8, "num_attention_heads": 4, "torch_dtype": "bfloat16")" +
           more + "}";
  };
  Import import(gemma(""));
  EXPECT_THAT(import.result.text, HasSubstr("periods: 1,\n    period: 6,\n    rest: 2,"));
  EXPECT_THAT(import.result.text, HasSubstr("scale: 6.3125,")); // sqrt(40) in bf16
  EXPECT_THAT(Import(gemma(R"(, "layer_types": ["sliding_attention", "full_attention", "sliding_attention",
      "full_attention", "sliding_attention", "full_attention", "sliding_attention", "full_attention"])"))
                  .result.text,
              HasSubstr("periods: 4,\n    period: 2,\n    rest: 0,"));
  EXPECT_THAT(Import(gemma(R"(, "layer_types": ["sliding_attention"])")).message,
              HasSubstr("expected for each layer sliding_attention, or at the end of each period full_attention"));
  EXPECT_EQ(Import(gemma(R"(, "attention_bias": true, "hidden_activation": "relu")")).message,
            "config.json: hidden_activation: found \"relu\", expected \"gelu_pytorch_tanh\"\n"
            "config.json: attention_bias: found true, expected false");
}

TEST(Checkpoint, HeadsOfPhiTurnInPart) {
  auto phi = [](const std::string &more) {
    return R"({"model_type": "phi3", "vocab_size": 96, "hidden_size": 64, "intermediate_size": 56,
      "num_hidden_layers": 2, "num_attention_heads": 4)" +
           more + "}";
  };
  EXPECT_THAT(Import(phi(R"(, "partial_rotary_factor": 0.75)")).result.text,
              HasSubstr("turned: 12,\n    frequency: pair => rotary.plain(pair, 12, base: 10000.0)"));
  EXPECT_EQ(Import(phi(R"(, "partial_rotary_factor": 0.2, "rope_scaling": {"type": "dynamic"})")).message,
            "config.json: partial_rotary_factor: found 0.2, expected a part of a head with an even number of features\n"
            "config.json: rope_scaling.type: found \"dynamic\", expected default, linear, llama3 or longrope");
}

/// "yarn" and "su" are other names of longrope in files of Phi-3.
TEST(Checkpoint, LongTextsOfPhiNeedAHyperparameter) {
  auto phi = [](const std::string &scaling) {
    return R"({"model_type": "phi3", "vocab_size": 96, "hidden_size": 16, "intermediate_size": 56,
      "num_hidden_layers": 2, "num_attention_heads": 4, "original_max_position_embeddings": 4096,
      "max_position_embeddings": 131072, "rope_scaling": )" +
           scaling + "}";
  };
  for (const char *type : {"longrope", "su", "yarn"}) {
    Import import(phi(R"({"short_factor": [1, 1.5], "long_factor": [2, 64], "type": ")" + std::string(type) + "\"}"));
    EXPECT_THAT(import.warnings(), IsEmpty());
    EXPECT_THAT(import.result.text, AllOf(HasSubstr(R"(
// Texts have at most 4096 tokens; longer ones, of at most 131072 tokens, need `long`, as by `--set long=true`.
)"),
                                          HasSubstr(R"(
model Phi3(long = false) {
  const context = if long then 131072 else 4096
)"),
                                          HasSubstr(R"(
    frequency: pair => rotary.longrope(pair, 4, base: 10000.0,
      factors: if long then [2.0, 64.0]
      else [1.0, 1.5]),
    gain: 1.1902380714238083,
)"),
                                          HasSubstr("fn logits(tokens: i32[batch, seq <= context])")));
  }
  EXPECT_EQ(Import(phi(R"({"short_factor": [1, 0], "type": "longrope"})")).message,
            "config.json: rope_scaling.short_factor: found [1,0], expected 2 positive numbers\n"
            "config.json: rope_scaling.long_factor: found nothing, expected 2 positive numbers");
}

TEST(Checkpoint, NumbersThatMakeNan) {
  EXPECT_EQ(Import(llama(R"(, "rms_norm_eps": -1, "rope_theta": 0, "rope_scaling": {"type": "linear", "factor": 0})"))
                .message,
            "config.json: rope_theta: found 0, expected a positive number\n"
            "config.json: rope_scaling.factor: found 0, expected a positive number\n"
            "config.json: rms_norm_eps: found -1, expected a positive number");
  EXPECT_EQ(Import(llama(R"(, "rope_scaling": {"rope_type": "llama3", "factor": 8, "low_freq_factor": 4,
    "high_freq_factor": 4})"))
                .message,
            "config.json: rope_scaling.high_freq_factor: found 4, expected a number above low_freq_factor");
  EXPECT_EQ(Import(llama(R"(, "max_position_embeddings": 1, "eos_token_id": [1, 96])")).message,
            "config.json: max_position_embeddings: found 1, expected at least 2\n"
            "config.json: eos_token_id: found [1,96], expected tokens below vocab_size");
}

TEST(Checkpoint, AWindowThatIsNullIsNone) {
  for (const char *type : {"mistral", "qwen2", "qwen3"})
    EXPECT_THAT(Import(std::string(R"({"vocab_size": 96, "hidden_size": 32, "intermediate_size": 56,
      "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2, "use_sliding_window": true,
      "max_window_layers": 0, "sliding_window": null, "model_type": ")") +
                       type + "\"}")
                    .result.text,
                AllOf(HasSubstr("model "), Not(HasSubstr("window"))));
}

TEST(Checkpoint, DecodersAreLanguageModels) {
  EXPECT_EQ(Import(llama(R"(, "architectures": ["LlamaForSequenceClassification"], "is_causal": false)")).message,
            "config.json: architectures: found [\"LlamaForSequenceClassification\"], expected LlamaForCausalLM\n"
            "config.json: is_causal: found false, expected true");
}

TEST(Checkpoint, YarnOfGemmaIsNotSupported) {
  EXPECT_EQ(
      Import(R"({"model_type": "gemma3_text", "vocab_size": 96, "hidden_size": 40, "intermediate_size": 56,
      "num_hidden_layers": 2, "num_attention_heads": 4, "rope_parameters": {"full_attention": {"rope_type": "yarn",
      "factor": 4}, "sliding_attention": {"rope_type": "yarn"}}})")
          .message,
      "config.json: rope_parameters.full_attention.rope_type: found \"yarn\", expected default, linear or llama3\n"
      "config.json: rope_parameters.sliding_attention.rope_type: found \"yarn\", expected default, linear or llama3");
}

/// Keys of published files that do not change what a model computes, beside those that a family reads.
TEST(Checkpoint, PublishedFilesHaveNoWarnings) {
  Import llama31(R"({"architectures": ["LlamaForCausalLM"], "attention_bias": false, "attention_dropout": 0.0,
    "bos_token_id": 128000, "eos_token_id": [128001, 128008, 128009], "hidden_act": "silu", "hidden_size": 4096,
    "initializer_range": 0.02, "intermediate_size": 14336, "max_position_embeddings": 131072, "mlp_bias": false,
    "model_type": "llama", "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8,
    "pretraining_tp": 1, "rms_norm_eps": 1e-05, "rope_scaling": {"factor": 8.0, "low_freq_factor": 1.0,
    "high_freq_factor": 4.0, "original_max_position_embeddings": 8192, "rope_type": "llama3"}, "rope_theta": 500000.0,
    "tie_word_embeddings": false, "torch_dtype": "bfloat16", "transformers_version": "4.42.3", "use_cache": true,
    "vocab_size": 128256})");
  Import smol(R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama", "is_llama_config": true,
    "rope_interleaved": false, "transformers.js_config": {"dtype": "q4"}, "vocab_size": 49152, "hidden_size": 576,
    "intermediate_size": 1536, "num_hidden_layers": 30, "num_attention_heads": 9, "num_key_value_heads": 3})");
  Import qwen(R"({"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "max_window_layers": 36,
    "sliding_window": 32768, "use_mrope": false, "use_sliding_window": false, "vocab_size": 151936, "hidden_size": 2048,
    "intermediate_size": 11008, "num_hidden_layers": 36, "num_attention_heads": 16, "num_key_value_heads": 2})");
  Import mistral(R"({"architectures": ["MistralForCausalLM"], "model_type": "mistral", "attention_bias": false,
    "mlp_bias": false, "sliding_window": null, "vocab_size": 32768, "hidden_size": 4096, "intermediate_size": 14336,
    "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8})");
  Import phi(R"({"architectures": ["Phi3ForCausalLM"], "auto_map": {"AutoConfig": "configuration_phi3.Phi3Config"},
    "model_type": "phi3", "original_max_position_embeddings": 4096, "rope_parameters": {"rope_type": "default",
    "rope_theta": 10000.0, "partial_rotary_factor": 0.75}, "sliding_window": 2047, "vocab_size": 32064,
    "hidden_size": 3072, "intermediate_size": 8192, "num_hidden_layers": 32, "num_attention_heads": 32})");
  Import gpt2(R"({"architectures": ["GPT2LMHeadModel"], "model_type": "gpt2", "n_special": 0, "n_layer": 6,
    "predict_special_tokens": true, "id2label": {"0": "LABEL_0"}, "_num_labels": 1, "n_ctx": 1024})");
  for (Import *each : {&llama31, &smol, &qwen, &mistral, &phi, &gpt2}) {
    EXPECT_EQ(each->message, "");
    EXPECT_THAT(each->warnings(), IsEmpty());
  }
  EXPECT_THAT(phi.result.text, HasSubstr("turned: 72,"));
}

/// A config.json of a Mamba-2 with further keys.
std::string mamba(const std::string &more) {
  return R"({"model_type": "mamba2", "vocab_size": 96, "hidden_size": 32, "num_hidden_layers": 2, "num_heads": 4,
    "head_dim": 16, "n_groups": 2, "state_size": 8)" +
         more + "}";
}

TEST(Checkpoint, PositionsOfMambaHaveNoBound) {
  Import import(mamba(R"(, "architectures": ["Mamba2ForCausalLM"], "time_step_limit": [0.0, Infinity],
    "chunk_size": 256, "norm_before_gate": true, "rms_norm": true, "residual_in_fp32": true, "time_step_min": 0.001)"));
  EXPECT_EQ(import.message, "");
  EXPECT_THAT(import.warnings(), IsEmpty());
  EXPECT_THAT(import.result.text, AllOf(HasSubstr(R"(
  decoder: mamba2.Decoder(
    vocab: 96,
    layers: 2,
    dim: 32,
    heads: 4,
    head_dim: 16,
    state_dim: 8,
    groups: 2,
    kernel: 4,
    epsilon: 1e-05) as ""
)"),
                                        HasSubstr("fn last(tokens: i32[batch, seq]) -> f32[batch, 96] {"),
                                        HasSubstr("with: draw, at_most: 256)")));
}

TEST(Checkpoint, LimitsOfTimeSteps) {
  EXPECT_THAT(Import(mamba(R"(, "time_step_limit": [0.25, {"__float__": "Infinity"}])")).result.text,
              AllOf(HasSubstr("least_step: 0.25"), Not(HasSubstr("most_step"))));
  EXPECT_THAT(Import(mamba(R"(, "time_step_limit": [0, 100])")).result.text,
              AllOf(HasSubstr("most_step: 100.0"), Not(HasSubstr("least_step"))));
  for (const char *limits : {"[1, 0.5]", "[-1, 1]", "[1]", "[-Infinity, 1]"})
    EXPECT_THAT(Import(mamba(std::string(R"(, "time_step_limit": )") + limits)).message,
                HasSubstr("expected two numbers from 0 up, the second at least as large as the first"));
  EXPECT_EQ(Import(mamba(R"(, "time_step_limit": [0, "Infinity"])")).message,
            "config.json: time_step_limit: found [0,\"Infinity\"], expected a list of numbers");
}

TEST(Checkpoint, UnsupportedMamba) {
  EXPECT_EQ(Import(mamba(R"(, "expand": 3, "n_groups": 3, "hidden_act": "tanh", "rms_norm": false)")).message,
            "config.json: expand: found 3, expected num_heads * head_dim / hidden_size\n"
            "config.json: n_groups: found 3, expected a divisor of num_heads\n"
            "config.json: hidden_act: found \"tanh\", expected gelu, gelu_new, gelu_fast, gelu_pytorch_tanh, "
            "quick_gelu, silu, swish or relu\n"
            "config.json: rms_norm: found false, expected true");
}

TEST(Checkpoint, UnsupportedGpt2) {
  EXPECT_EQ(Import(R"({"model_type": "gpt2", "n_head": 7, "scale_attn_by_inverse_layer_idx": true,
    "tie_word_embeddings": false, "activation_function": "tanh"})")
                .message,
            "config.json: n_head: found 7, expected a divisor of n_embd\n"
            "config.json: activation_function: found \"tanh\", expected gelu, gelu_new, gelu_fast, gelu_pytorch_tanh, "
            "quick_gelu, silu, swish or relu\n"
            "config.json: scale_attn_by_inverse_layer_idx: found true, expected false\n"
            "config.json: tie_word_embeddings: found false, expected true");
}

TEST(Checkpoint, GptOss) {
  const char *sizes = R"("model_type": "gpt_oss", "vocab_size": 201088, "hidden_size": 2880, "intermediate_size": 2880,
    "num_hidden_layers": 25, "num_attention_heads": 64)";
  Import plain("{" + std::string(sizes) + "}");
  EXPECT_EQ(plain.message, "");
  for (const char *line : {"periods: 12,", "period: 2,", "rest: 1,", "kv_heads: 8,", "head_dim: 64,", "window: 128,",
                           "gain: 1.3465735902799727,", "experts: 128,", "picks: 4,", "limit: 7.0,", "biased: true) as",
                           "frequency: pair => rotary.yarn(pair, 64, base: 150000.0, factor: 32.0, context: 4096, "
                           "whole: false),"})
    EXPECT_THAT(plain.result.text, HasSubstr(line));
  EXPECT_EQ(
      Import("{" + std::string(sizes) + R"(, "num_local_experts": 3, "hidden_act": "gelu",
    "layer_types": ["full_attention"], "quantization_config": {"quant_method": "mxfp4"}})")
          .message,
      "config.json: quantization_config: found {\"quant_method\":\"mxfp4\"}, expected none: quantised checkpoints are "
      "not supported\n"
      "config.json: layer_types: found [\"full_attention\"], expected for each layer sliding_attention, or at the "
      "end of each period full_attention\n"
      "config.json: num_local_experts: found 3, expected at least num_experts_per_tok\n"
      "config.json: hidden_act: found \"gelu\", expected \"silu\"");
}

TEST(Checkpoint, DenseLayersOfQwen3Moe) {
  auto qwen = [](const std::string &more) {
    return R"({"model_type": "qwen3_moe", "vocab_size": 96, "hidden_size": 32, "num_hidden_layers": 6,
      "num_attention_heads": 4, "intermediate_size": 56)" +
           more + "}";
  };
  EXPECT_THAT(Import(qwen("")).result.text, AllOf(HasSubstr("periods: 6,"), Not(HasSubstr("dense"))));
  EXPECT_THAT(Import(qwen(R"(, "decoder_sparse_step": 4)")).result.text,
              HasSubstr("periods: 1,\n    period: 1,\n    dense: 3,\n    rest: 2,\n    dense_hidden: 56,"));
  EXPECT_THAT(Import(qwen(R"(, "decoder_sparse_step": 2, "mlp_only_layers": [1])")).result.text,
              HasSubstr("periods: 2,\n    period: 2,\n    dense: 2,\n    rest: 0,"));
  EXPECT_THAT(Import(qwen(R"(, "mlp_only_layers": [0, 5])")).result.text,
              HasSubstr("periods: 4,\n    period: 1,\n    dense: 1,\n    rest: 1,"));
  EXPECT_THAT(Import(qwen(R"(, "decoder_sparse_step": 7)")).result.text,
              HasSubstr("periods: 0,\n    period: 1,\n    dense: 6,\n    rest: 0,"));
  for (const std::string listed : {"[1]", "[2]", "[1,3]"})
    EXPECT_EQ(Import(qwen(R"(, "mlp_only_layers": )" + listed)).message,
              "config.json: mlp_only_layers: found " + listed +
                  ", expected no layer, or layers that leave mixtures at the ends of equal periods");
}

TEST(Checkpoint, PeriodsOfQwen3Next) {
  auto qwen = [](const std::string &more) {
    return R"({"model_type": "qwen3_next", "vocab_size": 96, "hidden_size": 32, "num_hidden_layers": 6,
      "num_attention_heads": 4)" +
           more + "}";
  };
  Import import(qwen(R"(, "mlp_only_layers": [], "decoder_sparse_step": 1, "intermediate_size": 40,
    "output_router_logits": false, "use_sliding_window": false)"));
  EXPECT_EQ(import.message, "");
  EXPECT_THAT(import.warnings(), IsEmpty());
  for (const char *line :
       {"hidden: 512,", "periods: 1,\n    period: 4,\n    rest: 2,", "kv_heads: 2,", "head_dim: 256,", "turned: 64,",
        "key_heads: 16,\n    key_dim: 128,\n    value_heads: 32,\n    value_dim: 128,", "kernel: 4,",
        "shared_hidden: 512,\n    experts: 512,\n    picks: 10,\n    renormalised: true,"})
    EXPECT_THAT(import.result.text, HasSubstr(line));
  EXPECT_EQ(Import(qwen(R"(, "layer_types": ["full_attention", "linear_attention", "linear_attention"],
    "linear_num_value_heads": 24, "mlp_only_layers": [0], "decoder_sparse_step": 2)"))
                .message,
            "config.json: layer_types: found [\"full_attention\",\"linear_attention\",\"linear_attention\"], expected "
            "for each layer linear_attention, or at the end of each period full_attention\n"
            "config.json: linear_num_value_heads: found 24, expected a multiple of linear_num_key_heads\n"
            "config.json: decoder_sparse_step: found 2, expected 1\n"
            "config.json: mlp_only_layers: found [0], expected no layer");
}

/// A config.json of DeepSeek with further keys. V3 has the defaults of its family.
std::string deepseek(const std::string &more) {
  return R"({"vocab_size": 129280, "hidden_size": 7168, "intermediate_size": 18432, "num_hidden_layers": 61,
    "num_attention_heads": 128, "model_type": )" +
         more + "}";
}

TEST(Checkpoint, DeepseekV3) {
  Import import(deepseek(R"("deepseek_v3", "num_nextn_predict_layers": 1, "moe_layer_freq": 1, "ep_size": 1,
    "scoring_func": "sigmoid", "topk_method": "noaux_tc", "seq_aux": true, "aux_loss_alpha": 0.001,
    "rope_scaling": {"beta_fast": 32, "beta_slow": 1, "factor": 40, "mscale": 1.0, "mscale_all_dim": 1.0,
    "original_max_position_embeddings": 4096, "type": "yarn"})"));
  EXPECT_EQ(import.message, "");
  EXPECT_THAT(import.warnings(), IsEmpty());
  EXPECT_THAT(import.result.text, HasSubstr(R"(
    layers: 61,
    dense: 3,
    heads: 128,
    rank: 512,
    plain: 128,
    turned: 64,
    value_dim: 128,
    q_rank: 1536,
    frequency: pair => rotary.yarn(pair, 64, base: 10000.0, factor: 40.0, context: 4096),
    score_gain: 1.8738542070926265,
    expert_hidden: 2048,
    shared_hidden: 2048,
    experts: 256,
    picks: 8,
    scale: 2.5,
    epsilon: 1e-06,
    groups: 8,
    kept: 4,
    balanced: true,
    renormalised: true) as ""
)"));
}

/// A config.json of Kimi Linear with seven layers, of which `full` have latent attention, and with further keys.
std::string kimi(const std::string &full, const std::string &others, const std::string &more = "") {
  return R"({"model_type": "kimi_linear", "vocab_size": 96, "hidden_size": 32, "num_hidden_layers": 7,
    "num_attention_heads": 4, "kv_lora_rank": 12, "qk_nope_head_dim": 8, "qk_rope_head_dim": 4, "v_head_dim": 12,
    "mla_use_nope": true, "intermediate_size": 40, "moe_intermediate_size": 8, "num_experts": 4,
    "num_experts_per_token": 2, "model_max_length": 1048576, "first_k_dense_replace": 1, "linear_attn_config": {
    "full_attn_layers": )" +
         full + R"(, "kda_layers": )" + others + R"(, "head_dim": 8, "num_heads": 3, "short_conv_kernel_size": 4})" +
         more + "}";
}

TEST(Checkpoint, RunsOfKimiLinear) {
  Import published(kimi("[2, 4, 6, 7]", "[1, 3, 5]"));
  EXPECT_EQ(published.message, "");
  EXPECT_THAT(published.warnings(), IsEmpty());
  EXPECT_THAT(published.result.text, HasSubstr(R"(
    dense: 1,
    opening: 1,
    period: 2,
    periods: 2,
    closing: 1,
    rest: 0,
    delta_heads: 3,
)"));
  EXPECT_THAT(Import(kimi("[3]", "[1, 2, 4, 5, 6, 7]")).result.text,
              HasSubstr("opening: 2,\n    period: 1,\n    periods: 0,\n    closing: 0,\n    rest: 4,"));
  EXPECT_THAT(Import(kimi("[2, 3, 5, 7]", "[1, 4, 6]")).message,
              HasSubstr("expected full_attn_layers with equal distances, except for the last one"));
  EXPECT_THAT(Import(kimi("[2, 5]", "[1, 3, 4, 6]")).message,
              HasSubstr("expected full_attn_layers, in their order, and all other layers in kda_layers"));
}

TEST(Checkpoint, UnsupportedKimiLinear) {
  EXPECT_EQ(Import(kimi("[1, 4]", "[2, 3, 5, 6, 7]", R"(, "moe_router_activation_func": "softmax",
    "attn_res_block_size": 3, "mla_use_output_gate": true)"))
                .message,
            "config.json: first_k_dense_replace: found 1, expected a number below the first one of full_attn_layers\n"
            "config.json: moe_router_activation_func: found \"softmax\", expected \"sigmoid\"\n"
            "config.json: mla_use_output_gate: found true, expected false\n"
            "config.json: attn_res_block_size: found 3, expected none");
}

TEST(Checkpoint, ChoicesOfDeepseekV2) {
  Import lite(deepseek(R"("deepseek_v2", "num_experts_per_tok": 6, "n_group": 1, "topk_group": 1,
    "topk_method": "greedy", "q_lora_rank": null, "n_shared_experts": null, "first_k_dense_replace": 62)"));
  EXPECT_EQ(lite.message, "");
  EXPECT_THAT(lite.result.text, AllOf(HasSubstr("q_rank: 0,"), HasSubstr("shared_hidden: 0,"), HasSubstr("dense: 61,"),
                                      Not(HasSubstr("groups")), Not(HasSubstr("balanced"))));
  Import whole(deepseek(R"("deepseek_v2", "num_experts_per_tok": 6, "n_group": 8, "topk_group": 3,
    "topk_method": "group_limited_greedy", "routed_scaling_factor": 16.0, "n_routed_experts": 160)"));
  EXPECT_THAT(whole.result.text, HasSubstr("scale: 16.0,\n    epsilon: 1e-06,\n    groups: 8,\n    kept: 3) as"));
}

TEST(Checkpoint, UnsupportedDeepseek) {
  EXPECT_EQ(Import(deepseek(R"("deepseek_v3", "n_group": 3, "scoring_func": "softmax", "first_k_dense_replace": -1,
    "num_key_value_heads": 64, "rope_scaling": {"type": "longrope"}, "moe_layer_freq": 2,
    "quantization_config": {"quant_method": "fp8"})"))
                .message,
            "config.json: quantization_config: found {\"quant_method\":\"fp8\"}, expected none: quantised checkpoints "
            "are not supported\n"
            "config.json: first_k_dense_replace: found -1, expected a whole number from 0 up\n"
            "config.json: num_key_value_heads: found 64, expected 128\n"
            "config.json: rope_scaling.type: found \"longrope\", expected default, linear, llama3 or yarn\n"
            "config.json: moe_layer_freq: found 2, expected 1\n"
            "config.json: n_group: found 3, expected a divisor of the number of experts, at most half of it\n"
            "config.json: scoring_func: found \"softmax\", expected \"sigmoid\"");
  EXPECT_EQ(Import(deepseek(R"("deepseek_v3", "topk_group": 9)")).message,
            "config.json: topk_group: found 9, expected at most n_group, and groups with enough experts for a token");
  EXPECT_EQ(Import(deepseek(R"("deepseek_v2", "norm_topk_prob": true, "n_routed_experts": null,
    "topk_method": "noaux_tc")"))
                .message,
            "config.json: num_experts_per_tok: found nothing, expected a positive whole number\n"
            "config.json: n_routed_experts: found nothing, expected a positive whole number\n"
            "config.json: topk_method: found \"noaux_tc\", expected greedy or group_limited_greedy\n"
            "config.json: norm_topk_prob: found true, expected false");
}

TEST(Checkpoint, UnknownFamily) {
  EXPECT_THAT(
      Import(R"({"model_type": "lama"})").message,
      AllOf(HasSubstr("config.json: model_type: 'lama' is not supported, expected one of DiTTransformer2DModel, "),
            HasSubstr(", xlm-roberta; did you mean `llama`?")));
  EXPECT_THAT(Import("{}").message,
              HasSubstr("config.json: model_type is missing, expected one of DiTTransformer2DModel, "));
}

TEST(Checkpoint, FilesThatAreNoConfiguration) {
  EXPECT_THAT(Import("[]").message, HasSubstr("config.json: expected an object"));
  EXPECT_THAT(Import("{").message, HasSubstr("config.json: "));
  auto missing = importCheckpoint("/nonexistent");
  EXPECT_EQ(llvm::toString(missing.takeError()), "can't read /nonexistent/config.json: No such file or directory");
}

TEST(Checkpoint, RedundantTensorsAreNoParameters) {
  EXPECT_TRUE(isRedundant("model.layers.0.self_attn.rotary_emb.inv_freq"));
  EXPECT_TRUE(isRedundant("lm_head.weight"));
  EXPECT_FALSE(isRedundant("model.layers.0.self_attn.q_proj.weight"));
  EXPECT_TRUE(isRedundant("cls.predictions.decoder.weight"));
  EXPECT_FALSE(isRedundant("my_lm_head.weight"));
}

} // namespace
