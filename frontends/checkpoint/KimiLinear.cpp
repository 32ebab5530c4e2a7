#include "frontends/checkpoint/DeepseekKeys.h"
#include "frontends/checkpoint/Families.h"
#include <algorithm>

namespace attnc {

/// The numbers of the layers with latent attention, counted from 1.
static std::vector<int64_t> readFullLayers(Config &config, Config &linear, int64_t layers) {
  std::vector<int64_t> full = linear.numbers("full_attn_layers"), both = linear.numbers("kda_layers");
  both.insert(both.end(), full.begin(), full.end());
  std::sort(both.begin(), both.end());
  bool isWhole = int64_t(both.size()) == layers && std::is_sorted(full.begin(), full.end()) && !full.empty();
  for (int64_t layer = 0; isWhole && layer < layers; ++layer)
    isWhole = both[layer] == layer + 1;
  if (isWhole)
    return full;
  config.refuse("linear_attn_config", "full_attn_layers, in their order, and all other layers in kda_layers");
  return {layers};
}

/// Reads the layers as runs that end in latent attention: one, those of equal length, and a last one.
static void readRuns(Config &config, Config &linear, DecoderText &model) {
  int64_t layers = config.size("num_hidden_layers");
  std::vector<int64_t> full = readFullLayers(config, linear, layers), lengths;
  int64_t dense = config.count("first_k_dense_replace", 0);
  if (dense >= full.front()) {
    config.refuse("first_k_dense_replace", "a number below the first one of full_attn_layers");
    dense = 0;
  }
  for (size_t run = 1; run < full.size(); ++run)
    lengths.push_back(full[run] - full[run - 1]);
  int64_t period = lengths.empty() ? 1 : lengths.front(), closing = 0;
  if (!lengths.empty() && lengths.back() != period) {
    closing = lengths.back();
    lengths.pop_back();
  }
  if (std::count(lengths.begin(), lengths.end(), period) != int64_t(lengths.size()))
    config.refuse("linear_attn_config", "full_attn_layers with equal distances, except for the last one");
  model.add("dense", dense);
  model.add("opening", full.front() - dense);
  model.add("period", period);
  model.add("periods", int64_t(lengths.size()));
  model.add("closing", closing);
  model.add("rest", layers - full.back());
}

/// The layers with a state of fixed size.
static void readDeltaLayers(Config &linear, DecoderText &model) {
  model.add("delta_heads", linear.size("num_heads"));
  model.add("delta_dim", linear.size("head_dim"));
  model.add("kernel", linear.size("short_conv_kernel_size"));
  linear.expectOnly("use_full_rank_gate", false);
  if (linear.has("gate_lower_bound"))
    linear.refuse("gate_lower_bound", "none");
}

/// Keys of later models of the authors with this class.
static void refuseLaterKeys(Config &config) {
  config.expectOnly("mla_use_output_gate", false);
  config.expectOnly("latent_moe_use_norm", false);
  for (const char *key : {"attn_res_block_size", "routed_expert_hidden_size"})
    if (config.has(key))
      config.refuse(key, "none");
}

ModelText importKimiLinear(Config &config, const Source &source) {
  DecoderText model{.model = "KimiLinear", .file = "models.kimi_linear", .context = 0};
  expectLanguageModel(config, "KimiLinear");
  model.vocab = config.size("vocab_size");
  readEnd(config, model);
  model.add("vocab", model.vocab);
  model.add("dim", config.size("hidden_size"));
  Config linear = config.part("linear_attn_config");
  readRuns(config, linear, model);
  readDeltaLayers(linear, model);
  readLatentSizes(config, model, {});
  model.add("q_rank", config.has("q_lora_rank") ? config.size("q_lora_rank") : 0);
  model.add("hidden", config.size("intermediate_size"));
  readExpertWidths(config, model, std::nullopt, "num_shared_experts", 0);
  config.size("num_experts");
  config.size("num_experts_per_token");
  Experts experts = readExperts(config, model, "num_experts", {.count = 1, .picks = 1}, "num_experts_per_token");
  readGroups(config, model, "num_expert_group", experts, {.count = 1, .kept = 1});
  model.addFlag("renormalised", config.flag("moe_renormalize", true));
  if (double scale = config.positive("routed_scaling_factor", 1); scale != 1)
    model.add("scale", scale);
  model.add("epsilon", config.positive("rms_norm_eps", 1e-6));
  model.addFlag("tied", config.flag("tie_word_embeddings", false));
  config.expectOnly("hidden_act", "silu");
  config.expectOnly("moe_layer_freq", 1);
  config.expectOnly("moe_router_activation_func", "sigmoid");
  config.expectOnly("topk_method", "noaux_tc");
  config.expectOnly("use_grouped_topk", true);
  if (!config.flag("mla_use_nope", false))
    config.refuse("mla_use_nope", "true");
  refuseLaterKeys(config);
  // No layer has positions.
  config.ignore({"max_position_embeddings", "model_max_length", "rope_scaling", "rope_theta"});
  config.ignore({"num_nextn_predict_layers"});
  return model.asModel();
}

} // namespace attnc
