// Tests the model files that checkpoints of encoders, encoders with decoders and denoisers are imported to, and the
// messages about config.json.
#include "tests/frontends/checkpoint/Import.h"

using namespace attnc;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

namespace {

TEST(Checkpoint, AnEncoderHasTheEntryPointsOfItsArchitecture) {
  Import import(R"({"model_type": "bert", "architectures": ["BertForSequenceClassification"], "vocab_size": 96,
    "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48, "hidden_act": "quick_gelu",
    "max_position_embeddings": 40, "id2label": {"0": "a", "1": "b", "2": "c"}})");
  EXPECT_EQ(import.message, "");
  EXPECT_EQ(import.result.text, R"(// Made by `attnc import` from config.json of small.
use models.bert
use models.encoders
use nn

model Bert {
  encoder: bert.Encoder(
    vocab: 96,
    context: 40,
    layers: 2,
    dim: 32,
    hidden: 48,
    heads: 4,
    types: 2,
    activation: encoders.quick_gelu,
    epsilon: 1e-12) as "bert"
  pooler: encoders.Pooler(dim: 32) as "bert.pooler"
  classifier: nn.Linear(inputs: 32, outputs: 3) as "classifier"

  /// The features of each position. Row b has length[b] tokens; the features of padding mean nothing.
  fn features(tokens: i32[batch, seq <= 40], token_type_ids: i32[batch, seq], length: i32[batch]) -> f32[batch, seq, 32] {
    encoder.features(tokens, length, token_type_ids)
  }

  /// The summary of a text: a layer on the features of its first token.
  fn pooled(tokens: i32[batch, seq <= 40], token_type_ids: i32[batch, seq], length: i32[batch]) -> f32[batch, 32] {
    pooler(encoder.features(tokens, length, token_type_ids))
  }

  /// The logits of the class of each text.
  fn logits(tokens: i32[batch, seq <= 40], token_type_ids: i32[batch, seq], length: i32[batch]) -> f32[batch, 3] {
    classifier(pooler(encoder.features(tokens, length, token_type_ids)))
  }
}

export features
export pooled
export logits
)");
  EXPECT_THAT(import.warnings(), IsEmpty());
}

TEST(Checkpoint, WithoutWeightsTheArchitectureDeterminesTheNamesOfTensors) {
  Import body(R"({"model_type": "bert"})");
  EXPECT_THAT(body.result.text,
              AllOf(HasSubstr("epsilon: 1e-12) as \"\""), HasSubstr("export pooled\n"), Not(HasSubstr("logits"))));
  Import masked(R"({"model_type": "xlm-roberta", "architectures": ["XLMRobertaForMaskedLM"], "pad_token_id": 3})");
  EXPECT_THAT(masked.result.text, AllOf(HasSubstr("context: 508,"), HasSubstr("first: 4,"), HasSubstr("as \"roberta\""),
                                        HasSubstr("as \"lm_head\""), Not(HasSubstr("pooler"))));
}

TEST(Checkpoint, UnsupportedEncoders) {
  EXPECT_EQ(
      Import(R"({"model_type": "roberta", "architectures": ["RobertaForMultipleChoice"], "hidden_act": "mish",
    "position_embedding_type": "relative_key", "is_decoder": true, "hidden_size": 100, "max_position_embeddings": 2})")
          .message,
      R"(config.json: architectures: found ["RobertaForMultipleChoice"], expected RobertaModel, RobertaForMaskedLM, RobertaForSequenceClassification, RobertaForTokenClassification
config.json: position_embedding_type: found "relative_key", expected "absolute"
config.json: is_decoder: found true, expected false
config.json: hidden_act: found "mish", expected gelu, gelu_new, gelu_fast, gelu_pytorch_tanh, quick_gelu, silu, swish or relu
config.json: num_attention_heads: found nothing, expected a divisor of hidden_size
config.json: pad_token_id: found nothing, expected a token with at least one position of max_position_embeddings after it)");
}

TEST(Checkpoint, PeriodsOfModernBert) {
  auto bert = [](const std::string &more) {
    return R"({"model_type": "modernbert", "num_hidden_layers": 4)" + more + "}";
  };
  Import older(bert(R"(, "global_rope_theta": 80000, "local_rope_theta": null, "local_attention": 65)"));
  EXPECT_THAT(older.result.text, AllOf(HasSubstr("period: 3,\n    reach: 32,"), HasSubstr("as \"\""),
                                       HasSubstr("local_frequency: pair => rotary.plain(pair, 64, base: 80000.0)"),
                                       Not(HasSubstr("logits"))));
  Import newer(bert(R"(, "layer_types": ["full_attention", "sliding_attention", "full_attention", "sliding_attention"],
    "architectures": ["ModernBertForMaskedLM"], "decoder_bias": false, "classifier_bias": true)"));
  EXPECT_THAT(newer.result.text, AllOf(HasSubstr("period: 2,"), HasSubstr("as \"model\""),
                                       HasSubstr("dense_biased: true,\n    biased: false"),
                                       HasSubstr("rotary.plain(pair, 64, base: 160000.0)")));
  for (const std::string types : {R"("sliding_attention", "full_attention")", R"("full_attention")"})
    EXPECT_THAT(Import(bert(R"(, "layer_types": [)" + types + "]")).message,
                HasSubstr("expected for each layer sliding_attention, or at the start of each period full_attention"));
  EXPECT_EQ(Import(bert(R"(, "architectures": ["ModernBertForSequenceClassification"], "local_attention": 1,
    "hidden_size": 36, "rope_scaling": {"type": "linear", "factor": 2}, "is_decoder": true)"))
                .message,
            R"(config.json: architectures: found ["ModernBertForSequenceClassification"], expected ModernBertModel, )"
            "ModernBertForMaskedLM\n"
            "config.json: is_decoder: found true, expected false\n"
            "config.json: local_attention: found 1, expected at least 2\n"
            "config.json: num_attention_heads: found nothing, expected an even number of features of each head\n"
            "config.json: rope_scaling: found {\"factor\":2,\"type\":\"linear\"}, expected null");
}

TEST(Checkpoint, UnsupportedImages) {
  EXPECT_EQ(
      Import(R"({"model_type": "vit", "architectures": ["ViTForMaskedImageModeling"], "image_size": [224, 192],
    "patch_size": 256, "pooler_act": "relu", "pooler_output_size": 64})")
          .message,
      R"(config.json: architectures: found ["ViTForMaskedImageModeling"], expected ViTModel, ViTForImageClassification
config.json: image_size: found [224,192], expected a positive whole number, or two equal ones
config.json: patch_size: found 256, expected at most image_size
config.json: pooler_act: found "relu", expected "tanh"
config.json: pooler_output_size: found 64, expected 768)");
}

TEST(Checkpoint, KeysOfBothEncodersOfAPair) {
  Import import(R"({"model_type": "clip", "projection_dim": 64,
    "text_config": {"hidden_size": 32, "num_attention_heads": 4, "unknown": 1, "model_type": "clip_text_model"},
    "vision_config": {"patch_size": 14}, "vision_config_dict": {"patch_size": 16, "also": "x"}})");
  EXPECT_EQ(import.message, "");
  EXPECT_THAT(import.result.text, AllOf(HasSubstr("text_projection: nn.Linear(inputs: 32, outputs: 64, biased: false)"),
                                        HasSubstr("patch: 16,"), HasSubstr("end: 49407,")));
  EXPECT_THAT(import.warnings(),
              ElementsAre("config.json: the key text_config.unknown = 1 is not known, and is ignored",
                          "config.json: the key vision_config_dict.also = \"x\" is not known, and is ignored"));
}

TEST(Checkpoint, UnsupportedPairs) {
  EXPECT_EQ(Import(R"({"model_type": "siglip", "text_config": {"projection_size": 24, "hidden_act": 1},
    "vision_config": {"vision_use_head": false}})")
                .message,
            "config.json: text_config.hidden_act: found 1, expected a text\n"
            "config.json: vision_config.vision_use_head: found false, expected true\n"
            "config.json: text_config.projection_size: found 24, expected hidden_size of vision_config");
}

/// A config.json of a T5 with further keys.
std::string t5(const std::string &more) {
  return R"({"model_type": "t5", "architectures": ["T5ForConditionalGeneration"], "is_encoder_decoder": true,
    "vocab_size": 96, "d_model": 32, "d_kv": 12, "d_ff": 40, "num_layers": 2, "num_heads": 3)" +
         more + "}";
}

TEST(Checkpoint, ADecoderWithAnEncoder) {
  Import import(t5(R"(, "decoder_start_token_id": 0, "feed_forward_proj": "gated-gelu", "num_decoder_layers": 1,
    "dense_act_fn": "gelu_new", "is_gated_act": true, "n_positions": 512, "tie_word_embeddings": false)"));
  EXPECT_EQ(import.message, "");
  EXPECT_EQ(import.result.text, R"(// Made by `attnc import` from config.json of small.
// A text begins with the token 0: `decoder_start_token_id`.
use decoding
use models.t5
use nn

model T5 {
  network: t5.EncoderDecoder(
    vocab: 96,
    layers: 2,
    decoder_layers: 1,
    dim: 32,
    hidden: 40,
    heads: 3,
    head_dim: 12,
    buckets: 32,
    furthest: 128,
    activation: nn.gelu_tanh,
    gated: true,
    epsilon: 1e-06,
    tied: false,
    scaled: false) as ""

  /// The features of each position of a source. Row b has source_length[b] tokens; the features of padding mean nothing.
  fn features(source: i32[batch, n], source_length: i32[batch]) -> f32[batch, n, 32] {
    network.features(source, source_length)
  }

  /// The logits of the next token at each position.
  fn logits(source: i32[batch, n], source_length: i32[batch], tokens: i32[batch, seq]) -> f32[batch, seq, 96] {
    network.logits_of(network.decoded(tokens, source, source_length))
  }

  /// The logits of the next token after the last position.
  fn last(source: i32[batch, n], source_length: i32[batch], tokens: i32[batch, seq]) -> f32[batch, 96] {
    let x = network.decoded(tokens, source, source_length)
    network.logits_of([b] => x[b, seq - 1])
  }
}

export features
export logits
export next = incremental(last, along: seq)
export write = decode(next, with: draw, stop: 1, at_most: 256)
)");
  EXPECT_THAT(import.warnings(), IsEmpty());
}

TEST(Checkpoint, NewerFilesOfT5SayWhetherFeaturesAreScaled) {
  Import older(t5("")), newer(t5(R"(, "tie_word_embeddings": true, "scale_decoder_outputs": false)"));
  EXPECT_THAT(older.result.text, AllOf(HasSubstr("epsilon: 1e-06) as"), Not(HasSubstr("activation"))));
  EXPECT_THAT(newer.result.text, HasSubstr("epsilon: 1e-06,\n    scaled: false) as"));
}

TEST(Checkpoint, UnsupportedT5) {
  EXPECT_EQ(Import(t5(R"(, "architectures": ["T5EncoderModel"], "relative_attention_num_buckets": 30,
    "relative_attention_max_distance": 15, "feed_forward_proj": "gated-tanh", "decoder_start_token_id": 96)"))
                .message,
            R"(config.json: architectures: found ["T5EncoderModel"], expected T5ForConditionalGeneration
config.json: relative_attention_num_buckets: found 30, expected a multiple of 4
config.json: relative_attention_max_distance: found 15, expected more than half of relative_attention_num_buckets
config.json: feed_forward_proj: found "gated-tanh", expected an activation such as relu, or a gated unit such as gated-gelu
config.json: decoder_start_token_id: found 96, expected one token below vocab_size)");
  EXPECT_EQ(Import(t5(R"(, "is_gated_act": true, "dense_act_fn": "silu", "is_encoder_decoder": false)")).message,
            "config.json: is_encoder_decoder: found false, expected true\n"
            "config.json: dense_act_fn: found \"silu\", expected \"relu\"\n"
            "config.json: is_gated_act: found true, expected false");
}

TEST(Checkpoint, BothPartsOfBart) {
  Import import(R"({"model_type": "bart", "d_model": 64, "decoder_layers": 6, "decoder_ffn_dim": 128,
    "encoder_attention_heads": 8, "scale_embedding": true, "normalize_before": false, "max_position_embeddings": 40,
    "activation_function": "gelu"})");
  EXPECT_EQ(import.message, "");
  EXPECT_THAT(import.result.text,
              AllOf(HasSubstr("layers: 12,\n    hidden: 4096,\n    heads: 8,\n    decoder_layers: 6,\n    "
                              "decoder_hidden: 128,\n    decoder_heads: 16,\n    scale: 8.0) as \"\""),
                    HasSubstr("source: i32[batch, n <= 40], source_length: i32[batch], tokens: i32[batch, seq <= 40]"),
                    HasSubstr("// A text begins with the token 2"), HasSubstr("stop: 2, at_most: 39)")));
  EXPECT_THAT(import.warnings(), IsEmpty());
  EXPECT_EQ(Import(R"({"model_type": "bart", "architectures": ["BartModel"], "encoder_attention_heads": 7,
    "normalize_before": true, "tie_word_embeddings": false, "max_position_embeddings": 1})")
                .message,
            R"(config.json: architectures: found ["BartModel"], expected BartForConditionalGeneration
config.json: max_position_embeddings: found 1, expected at least 2
config.json: encoder_attention_heads: found 7, expected a divisor of d_model
config.json: tie_word_embeddings: found false, expected true
config.json: normalize_before: found true, expected false)");
}

TEST(Checkpoint, SourcesOfWhisperAreSpectrograms) {
  Import import(R"({"model_type": "whisper", "architectures": ["WhisperForConditionalGeneration"],
    "apply_spec_augment": false, "begin_suppress_tokens": [220], "suppress_tokens": [1, 2], "num_mel_bins": 128,
    "decoder_start_token_id": 50258, "forced_decoder_ids": [[1, 50259]], "is_encoder_decoder": true})");
  EXPECT_EQ(import.message, "");
  EXPECT_THAT(import.result.text,
              AllOf(HasSubstr("fn features(input_features: f32[batch, 128, 3000]) -> f32[batch, 1500, 384] {"),
                    HasSubstr("input_features: f32[batch, 128, 3000], tokens: i32[batch, seq <= 448]"),
                    HasSubstr("network.decoded(tokens, input_features)"), HasSubstr("stop: 50256, at_most: 256)")));
  EXPECT_THAT(import.warnings(), IsEmpty());
  EXPECT_EQ(
      Import(R"({"model_type": "whisper", "architectures": ["WhisperForAudioClassification"],
    "max_target_positions": 1, "decoder_start_token_id": [1, 2], "activation_function": "tanh"})")
          .message,
      R"(config.json: architectures: found ["WhisperForAudioClassification"], expected WhisperForConditionalGeneration
config.json: max_target_positions: found 1, expected at least 2
config.json: activation_function: found "tanh", expected gelu, gelu_new, gelu_fast, gelu_pytorch_tanh, quick_gelu, silu, swish or relu
config.json: decoder_start_token_id: found [1,2], expected one token below vocab_size)");
}

TEST(Checkpoint, FilesOfDiffusersHaveNoModelType) {
  const std::string common = R"("norm_type": "ada_norm_zero", "norm_elementwise_affine": false, "out_channels": 8,
    "attention_bias": false, "activation_fn": "gelu", "cross_attention_dim": null)";
  for (const std::string type : {"DiTTransformer2DModel", "Transformer2DModel"}) {
    Import import(R"({"_class_name": ")" + type + R"(", "_diffusers_version": "0.30.0", )" + common + "}");
    EXPECT_EQ(import.message, "");
    EXPECT_THAT(import.result.text,
                AllOf(HasSubstr("classes: 1000,\n    activation: nn.gelu,\n    epsilon: 1e-05,\n    "
                                "qkv_biased: false) as \"\""),
                      HasSubstr("variance in the channels from 4 on"), HasSubstr("-> f32[batch, 8, 32, 32] {")));
    EXPECT_THAT(import.warnings(), IsEmpty());
  }
  EXPECT_EQ(Import(R"({"_class_name": "Transformer2DModel", "cross_attention_dim": 1152, "patch_size": 3,
    "num_attention_heads": 1, "attention_head_dim": 6, "activation_fn": "geglu"})")
                .message,
            "config.json: norm_type: found nothing, expected \"ada_norm_zero\"\n"
            "config.json: norm_elementwise_affine: found nothing, expected false\n"
            "config.json: cross_attention_dim: found 1152, expected null\n"
            "config.json: patch_size: found 3, expected a divisor of sample_size\n"
            "config.json: attention_head_dim: found 6, expected a multiple of 4 features in all heads together\n"
            "config.json: activation_fn: found \"geglu\", expected gelu or gelu-approximate");
}

} // namespace
