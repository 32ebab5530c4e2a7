#include "frontends/checkpoint/DecoderKeys.h"
#include "frontends/checkpoint/Families.h"
#include "frontends/checkpoint/Rotary.h"

namespace attnc {

/// The layers with a state of fixed size.
static void readLinearLayers(Config &config, DecoderText &model) {
  int64_t keyHeads = config.size("linear_num_key_heads", 16), valueHeads = config.size("linear_num_value_heads", 32);
  if (valueHeads % keyHeads != 0)
    config.refuse("linear_num_value_heads", "a multiple of linear_num_key_heads");
  model.add("key_heads", keyHeads);
  model.add("key_dim", config.size("linear_key_head_dim", 128));
  model.add("value_heads", valueHeads);
  model.add("value_dim", config.size("linear_value_head_dim", 128));
  model.add("kernel", config.size("linear_conv_kernel_dim", 4));
}

ModelText importQwen3Next(Config &config, const Source &source) {
  DecoderText model{.model = "Qwen3Next", .file = "models.qwen3_next", .uses = {"models.rotary"}};
  expectLanguageModel(config, "Qwen3Next");
  readSizes(config, model, 32768, {"moe_intermediate_size", 512});
  readPeriods(config, model, config.size("full_attention_interval", 4), "linear_attention");
  int64_t headDim = readHeads(config, model, {.kvHeads = 2, .headDim = 256});
  int64_t turned = readRotatedFeatures(config, headDim, 0.25);
  model.add("turned", turned);
  Rotary rotary = readRotary(config, {turned, 10000, model.context});
  model.add("frequency", llvm::StringRef(rotary.frequency));
  if (rotary.gain != 1)
    model.add("gain", rotary.gain);
  readLinearLayers(config, model);
  model.add("shared_hidden", config.size("shared_expert_intermediate_size", 512));
  readExperts(config, model, "num_experts", {512, 10});
  model.addFlag("renormalised", config.flag("norm_topk_prob", true));
  model.add("epsilon", config.positive("rms_norm_eps", 1e-6));
  model.addFlag("biased", config.flag("attention_bias", false));
  model.addFlag("tied", config.flag("tie_word_embeddings", false));
  config.expectOnly("hidden_act", "silu");
  config.expectOnly("decoder_sparse_step", 1);
  config.expectOnly("use_sliding_window", false);
  if (!config.numbers("mlp_only_layers").empty())
    config.refuse("mlp_only_layers", "no layer");
  config.ignore({"intermediate_size", "sliding_window", "max_window_layers"});
  return model.asModel();
}

} // namespace attnc
