#include "frontends/checkpoint/DeepseekKeys.h"
#include "frontends/checkpoint/Families.h"
#include "frontends/checkpoint/Rotary.h"
#include <algorithm>

namespace attnc {

namespace {

/// Defaults of the families of models/deepseek.attn.
struct DeepseekDefaults {
  int64_t context;     ///< `max_position_embeddings`
  int64_t dense;       ///< `first_k_dense_replace`
  int64_t expertWidth; ///< `moe_intermediate_size`
  int64_t shared;      ///< `n_shared_experts`
  Experts experts;     ///< `n_routed_experts` and `num_experts_per_tok`
  double scale;        ///< `routed_scaling_factor`
};

} // namespace

int64_t readLatentSizes(Config &config, DecoderText &model, const LatentSizes &byDefault) {
  int64_t heads = config.size("num_attention_heads"), turned = config.size("qk_rope_head_dim", byDefault.turned);
  config.expectOnly("num_key_value_heads", heads);
  if (turned % 2 != 0 && config.has("qk_rope_head_dim"))
    config.refuse("qk_rope_head_dim", "an even number");
  model.add("heads", heads);
  model.add("rank", config.size("kv_lora_rank", byDefault.rank));
  model.add("plain", config.size("qk_nope_head_dim", byDefault.plain));
  model.add("turned", turned);
  model.add("value_dim", config.size("v_head_dim", byDefault.valueDim));
  config.ignore({"head_dim", "qk_head_dim"}); // they follow from other keys
  return turned;
}

static void readLatentAttention(Config &config, DecoderText &model) {
  int64_t turned = readLatentSizes(config, model, {.rank = 512, .plain = 128, .turned = 64, .valueDim = 128});
  model.add("q_rank", config.isNull("q_lora_rank") ? 0 : config.size("q_lora_rank", 1536));
  Rotary rotary = readRotary(config, {turned, 10000, model.context});
  model.add("frequency", llvm::StringRef(rotary.frequency));
  if (rotary.gain != 1)
    model.add("gain", rotary.gain);
  if (rotary.scoreGain != 1)
    model.add("score_gain", rotary.scoreGain);
  model.addFlag("biased", config.flag("attention_bias", false));
}

void readGroups(Config &config, DecoderText &model, llvm::StringRef key, const Experts &experts,
                const Groups &byDefault) {
  Groups groups{config.size(key, byDefault.count), config.size("topk_group", byDefault.kept)};
  int64_t members = experts.count / groups.count;
  if (experts.count % groups.count != 0 || members < 2)
    return config.refuse(key, "a divisor of the number of experts, at most half of it");
  if (groups.kept > groups.count || groups.kept * members < experts.picks)
    return config.refuse("topk_group", "at most " + key.str() + ", and groups with enough experts for a token");
  if (groups.kept == groups.count)
    return;
  model.add("groups", groups.count);
  model.add("kept", groups.kept);
}

void readExpertWidths(Config &config, DecoderText &model, std::optional<int64_t> width, llvm::StringRef sharedKey,
                      int64_t shared) {
  int64_t hidden = config.size("moe_intermediate_size", width);
  model.add("expert_hidden", hidden);
  model.add("shared_hidden", config.isNull(sharedKey) ? 0 : hidden * config.count(sharedKey, shared));
}

/// Reads all keys but those of the choice of experts, and returns the numbers of experts.
static Experts readDeepseek(Config &config, DecoderText &model, const DeepseekDefaults &family) {
  expectLanguageModel(config, model.model);
  readSizes(config, model, family.context);
  int64_t layers = config.size("num_hidden_layers");
  model.add("layers", layers);
  model.add("dense", std::min(layers, config.count("first_k_dense_replace", family.dense)));
  readLatentAttention(config, model);
  readExpertWidths(config, model, family.expertWidth, "n_shared_experts", family.shared);
  if (config.isNull("n_routed_experts"))
    config.refuse("n_routed_experts", "a positive whole number");
  Experts experts = readExperts(config, model, "n_routed_experts", family.experts);
  if (double scale = config.positive("routed_scaling_factor", family.scale); scale != 1)
    model.add("scale", scale);
  model.add("epsilon", config.positive("rms_norm_eps", 1e-6));
  model.addFlag("tied", config.flag("tie_word_embeddings", false));
  config.expectOnly("hidden_act", "silu");
  config.expectOnly("moe_layer_freq", 1);
  // They are about training, and a layer for a further token, which logits do not need.
  config.ignore({"aux_loss_alpha", "ep_size", "num_nextn_predict_layers", "pretraining_tp", "seq_aux"});
  return experts;
}

ModelText importDeepseekV2(Config &config, const Source &source) {
  DecoderText model{.model = "DeepseekV2", .file = "models.deepseek", .uses = {"models.rotary"}};
  config.size("num_experts_per_tok"); // it has no default
  Experts experts = readDeepseek(config, model,
                                 {.context = 2048,
                                  .dense = 0,
                                  .expertWidth = 1407,
                                  .shared = 2,
                                  .experts = {.count = 64, .picks = 1},
                                  .scale = 1});
  std::string method = config.text("topk_method", "greedy");
  if (method == "group_limited_greedy")
    readGroups(config, model, "n_group", experts, {.count = 1, .kept = 1});
  else if (method != "greedy")
    config.refuse("topk_method", "greedy or group_limited_greedy");
  config.expectOnly("mlp_bias", false);
  config.expectOnly("norm_topk_prob", false); // the published implementations differ
  config.expectOnly("scoring_func", "softmax");
  config.ignore({"n_group", "topk_group"}); // those of greedy
  return model.asModel();
}

ModelText importDeepseekV3(Config &config, const Source &source) {
  DecoderText model{.model = "DeepseekV3", .file = "models.deepseek", .uses = {"models.rotary"}};
  Experts experts = readDeepseek(config, model,
                                 {.context = 4096,
                                  .dense = 3,
                                  .expertWidth = 2048,
                                  .shared = 1,
                                  .experts = {.count = 256, .picks = 8},
                                  .scale = 2.5});
  readGroups(config, model, "n_group", experts, {.count = 8, .kept = 4});
  model.addFlag("balanced", true);
  model.addFlag("renormalised", config.flag("norm_topk_prob", true));
  if (!config.flag("rope_interleave", true))
    model.add("interleaved", llvm::StringRef("false"));
  config.expectOnly("scoring_func", "sigmoid");
  config.expectOnly("topk_method", "noaux_tc");
  return model.asModel();
}

} // namespace attnc
