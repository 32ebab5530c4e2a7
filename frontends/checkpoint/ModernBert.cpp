#include "frontends/checkpoint/Encoder.h"
#include "frontends/checkpoint/Families.h"
#include "frontends/checkpoint/LayerTypes.h"
#include "frontends/checkpoint/Rotary.h"
#include <fmt/format.h>

namespace attnc {

/// Adds the frequencies of rotary positions, for layers without and with a window.
static void addFrequencies(Config &config, Arguments &arguments, int64_t headDim, int64_t context) {
  if (headDim % 2 != 0)
    config.refuse("num_attention_heads", "an even number of features of each head");
  config.expectOnly("rope_scaling", nullptr); // versions of the library differ
  double base = config.positive("global_rope_theta", 160000);
  double localBase = config.isNull("local_rope_theta") ? base : config.positive("local_rope_theta", 10000);
  LayerRotary rotary = readLayerRotary(config, {headDim, base, context, /*hasYarn=*/false}, localBase);
  arguments.add("frequency", llvm::StringRef(rotary.full.frequency));
  arguments.add("local_frequency", llvm::StringRef(rotary.sliding.frequency));
}

/// Adds the head of a masked language model.
static void addHead(Config &config, ModelText &model, const EncoderLayers &layers, int64_t vocab) {
  config.expectOnly("tie_word_embeddings", true);
  Arguments &arguments = model.addField("head", "modernbert.MaskedHead", "", FieldRole::Part).arguments;
  arguments.add("dim", layers.dim);
  arguments.add("vocab", vocab);
  addActivation(model, arguments, readActivation(config, "classifier_activation", "gelu"));
  arguments.add("epsilon", layers.epsilon);
  arguments.addFlag("norm_biased", config.flag("norm_bias", false));
  arguments.addFlag("dense_biased", config.flag("classifier_bias", false));
  if (!config.flag("decoder_bias", true))
    arguments.add("biased", llvm::StringRef("false"));
}

ModelText importModernBert(Config &config, const Source &source) {
  bool isBody = readArchitecture(config, "ModernBert", {"Model", "ForMaskedLM"}) == "Model";
  expectEncoder(config);
  // Keys of other classes, and of how the published library computes.
  config.ignore({"classifier_activation", "classifier_bias", "classifier_pooling", "cls_token_id", "decoder_bias",
                 "deterministic_flash_attn", "embedding_dropout", "initializer_cutoff_factor", "layer_norm_eps",
                 "mlp_dropout", "position_embedding_type", "reference_compile", "repad_logits_with_grad",
                 "sparse_pred_ignore_index", "sparse_prediction"});
  ModelText model{.model = "ModernBert", .files = {"models.modernbert", "models.rotary"}};
  EncoderLayers layers(config, {22, 768, 1152, 12, "gelu", 1e-5, "hidden_activation", "norm_eps"});
  int64_t vocab = config.size("vocab_size", 50368), context = config.size("max_position_embeddings", 8192);
  bool hasPrefix = source.hasTensor("model.embeddings.tok_embeddings.weight", !isBody);
  Arguments &arguments = model.addField("encoder", "modernbert.Encoder", hasPrefix ? "model" : "").arguments;
  arguments.add("vocab", vocab);
  arguments.add("context", context);
  layers.addSizes(arguments);
  int64_t period = config.size("global_attn_every_n_layers", 3);
  arguments.add("period", readPeriod(config, layers.layers, period, FullLayer::First));
  int64_t window = config.size("local_attention", 128);
  if (window < 2)
    config.refuse("local_attention", "at least 2");
  arguments.add("reach", window / 2);
  addFrequencies(config, arguments, layers.dim / layers.heads, context);
  layers.addForm(model, arguments);
  arguments.addFlag("norm_biased", config.flag("norm_bias", false));
  arguments.addFlag("attention_biased", config.flag("attention_bias", false));
  arguments.addFlag("mlp_biased", config.flag("mlp_bias", false));
  std::string tokens = fmt::format("tokens: i32[batch, seq <= {}]", context);
  std::string inputs = tokens + ", length: i32[batch]";
  addTextFeatures(model, inputs, layers.dim, "encoder.features(tokens, length)");
  if (!isBody) {
    addHead(config, model, layers, vocab);
    std::string logits = "head(encoder.features(tokens, length), encoder.token.table)";
    addMaskedLogits(model, inputs, vocab, logits);
    setMaskedLoss(model, source, {tokens, logits, vocab});
  }
  return model;
}

} // namespace attnc
