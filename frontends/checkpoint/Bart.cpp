#include "frontends/checkpoint/Families.h"
#include "frontends/checkpoint/SourceKeys.h"
#include <cmath>
#include <fmt/format.h>

namespace attnc {

namespace {

/// Defaults of a family, where config.json has none.
struct BartDefaults {
  int64_t vocab, layers, hidden, heads, dim;
  int64_t start, end; ///< tokens
};

} // namespace

/// Adds the sizes of the encoder or of the decoder. `part` begins their keys, and `prefix` the names of the arguments.
static void addPart(Config &config, DecoderText &model, const std::string &part, const std::string &prefix,
                    const BartDefaults &family) {
  int64_t dim = config.size("d_model", family.dim), heads = config.size(part + "_attention_heads", family.heads);
  if (dim % heads != 0)
    config.refuse(part + "_attention_heads", "a divisor of d_model");
  model.add(prefix + "layers", config.size(part + "_layers", family.layers));
  model.add(prefix + "hidden", config.size(part + "_ffn_dim", family.hidden));
  model.add(prefix + "heads", heads);
}

/// Reads the keys of both parts and of the embedding, and returns the number of features.
static int64_t readParts(Config &config, DecoderText &model, const BartDefaults &family) {
  int64_t dim = config.size("d_model", family.dim);
  model.add("dim", dim);
  addPart(config, model, "encoder", "", family);
  addPart(config, model, "decoder", "decoder_", family);
  addActivation(model, readActivation(config, "activation_function", "gelu"));
  if (config.flag("scale_embedding", false))
    model.add("scale", std::sqrt(double(dim)));
  config.expectOnly("tie_word_embeddings", true);
  readStart(config, model, family.start);
  readEnd(config, model, family.end);
  config.ignore({"activation_dropout", "decoder_layerdrop", "encoder_layerdrop", "init_std", "num_hidden_layers"});
  return dim;
}

ModelText importBart(Config &config, const Source &source) {
  static constexpr BartDefaults family = {50265, 12, 4096, 16, 1024, 2, 2};
  DecoderText model{.model = "Bart", .file = "models.bart"};
  expectEncoderDecoder(config, "Bart");
  model.vocab = config.size("vocab_size", family.vocab);
  readContext(config, model, "max_position_embeddings", 1024);
  model.add("vocab", model.vocab);
  model.add("context", model.context);
  int64_t dim = readParts(config, model, family);
  config.expectOnly("normalize_before", false); // of older files, as the next ones
  config.expectOnly("normalize_embedding", true);
  config.expectOnly("add_final_layer_norm", false);
  config.expectOnly("static_position_embeddings", false);
  config.expectOnly("extra_pos_embeddings", 2);
  config.ignore({"add_bias_logits", "classif_dropout", "force_bos_token_to_be_generated", "save_step"});
  model.source = textSource(model.context, dim);
  return model.asModel();
}

ModelText importWhisper(Config &config, const Source &source) {
  static constexpr BartDefaults family = {51865, 4, 1536, 6, 384, 50257, 50256};
  DecoderText model{.model = "Whisper", .file = "models.whisper"};
  expectEncoderDecoder(config, "Whisper");
  model.vocab = config.size("vocab_size", family.vocab);
  readContext(config, model, "max_target_positions", 448);
  int64_t bands = config.size("num_mel_bins", 80), positions = config.size("max_source_positions", 1500);
  model.add("vocab", model.vocab);
  model.add("context", model.context);
  model.add("bands", bands);
  model.add("positions", positions);
  int64_t dim = readParts(config, model, family);
  // Keys of training, of classifiers, and of the choice of tokens.
  config.ignore({"alignment_heads", "apply_spec_augment", "classifier_proj_size", "forced_decoder_ids",
                 "is_multilingual", "lang_to_id", "mask_feature_length", "mask_feature_min_masks", "mask_feature_prob",
                 "mask_time_length", "mask_time_min_masks", "mask_time_prob", "median_filter_width",
                 "no_timestamps_token_id", "task_to_id", "use_weighted_layer_sum"});
  std::string sound = fmt::format("input_features: f32[batch, {}, {}]", bands, 2 * positions);
  model.source = SourceText{.inputs = sound,
                            .arguments = "input_features",
                            .features = fmt::format("f32[batch, {}, {}]", positions, dim),
                            .comment = "The features of each position of a sound.",
                            .trainedInputs = sound,
                            .trainedArguments = "input_features"};
  return model.asModel();
}

} // namespace attnc
