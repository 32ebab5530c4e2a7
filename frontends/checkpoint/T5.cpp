#include "frontends/checkpoint/Families.h"
#include "frontends/checkpoint/SourceKeys.h"

namespace attnc {

/// Reads the form of the feed-forward layers: "relu", or "gated-gelu" with a gated unit.
static void readFeedForward(Config &config, DecoderText &model) {
  std::string text = config.text("feed_forward_proj", "relu");
  llvm::StringRef name = text;
  bool isGated = name.consume_front("gated-");
  if (isGated && name == "gelu")
    name = "gelu_new";
  std::optional<Activation> activation = findActivation(name);
  if (!activation)
    config.refuse("feed_forward_proj", "an activation such as relu, or a gated unit such as gated-gelu");
  else if (name != "relu")
    addActivation(model, *activation);
  model.addFlag("gated", isGated);
  // Newer files repeat both parts.
  config.expectOnly("dense_act_fn", name);
  config.expectOnly("is_gated_act", isGated);
}

/// Reads the buckets of distances.
static void readBuckets(Config &config, DecoderText &model) {
  int64_t buckets = config.size("relative_attention_num_buckets", 32);
  int64_t furthest = config.size("relative_attention_max_distance", 128);
  if (buckets % 4 != 0)
    config.refuse("relative_attention_num_buckets", "a multiple of 4");
  if (furthest <= buckets / 2)
    config.refuse("relative_attention_max_distance", "more than half of relative_attention_num_buckets");
  model.add("buckets", buckets);
  model.add("furthest", furthest);
}

/// Reads whether the embedding is the weight of the head, and whether features are scaled.
static void readHead(Config &config, DecoderText &model, const Source &source) {
  bool isTied = config.flag("tie_word_embeddings", true);
  bool isScaled = config.flag("scale_decoder_outputs", isTied);
  // Files with `scale_decoder_outputs` say that all heads are tied; the weights tell which are.
  if (config.has("scale_decoder_outputs") && source.hasTensor("lm_head.weight", false))
    isTied = false;
  if (!isTied)
    model.add("tied", llvm::StringRef("false"));
  if (!isScaled)
    model.add("scaled", llvm::StringRef("false"));
}

ModelText importT5(Config &config, const Source &source) {
  DecoderText model{.model = "T5", .file = "models.t5"};
  expectEncoderDecoder(config, "T5");
  model.vocab = config.size("vocab_size", 32128);
  model.context = 0;
  int64_t layers = config.size("num_layers", 6), dim = config.size("d_model", 512);
  model.add("vocab", model.vocab);
  model.add("layers", layers);
  model.add("decoder_layers", config.size("num_decoder_layers", layers));
  model.add("dim", dim);
  model.add("hidden", config.size("d_ff", 2048));
  model.add("heads", config.size("num_heads", 8));
  model.add("head_dim", config.size("d_kv", 64));
  readBuckets(config, model);
  readFeedForward(config, model);
  model.add("epsilon", config.positive("layer_norm_epsilon", 1e-6));
  readHead(config, model, source);
  readStart(config, model);
  readEnd(config, model, 1);
  config.ignore({"dropout_rate", "n_positions"});
  model.source = textSource(model.context, dim);
  return model.asModel();
}

} // namespace attnc
