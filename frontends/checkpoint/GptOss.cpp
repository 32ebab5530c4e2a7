#include "frontends/checkpoint/DecoderKeys.h"
#include "frontends/checkpoint/Families.h"
#include "frontends/checkpoint/Rotary.h"

namespace attnc {

std::string importGptOss(Config &config, const Source &source) {
  DecoderText model{.model = "GptOss", .file = "models.gpt_oss", .uses = {"models.rotary"}};
  expectLanguageModel(config, "GptOss");
  readSizes(config, model, 131072);
  readPeriods(config, model, 2);
  int64_t headDim = readHeads(config, model, {.kvHeads = 8, .headDim = 64});
  Rotary rotary = readRotary(config, {headDim, 150000, model.context, /*hasYarn=*/true,
                                      Yarn{.factor = 32, .context = 4096, .isWhole = false}});
  model.add("frequency", llvm::StringRef(rotary.frequency));
  model.add("gain", rotary.gain);
  model.add("window", config.size("sliding_window", 128));
  int64_t experts = config.size("num_local_experts", 128);
  int64_t picks = config.size("num_experts_per_tok", config.size("experts_per_token", 4));
  if (picks > experts)
    config.refuse("num_local_experts", "at least num_experts_per_tok");
  model.add("experts", experts);
  model.add("picks", picks);
  model.add("alpha", config.real("swiglu_alpha", 1.702));
  model.add("limit", config.positive("swiglu_limit", 7.0));
  model.add("epsilon", config.positive("rms_norm_eps", 1e-5));
  model.addFlag("biased", config.flag("attention_bias", true));
  model.addFlag("tied", config.flag("tie_word_embeddings", false));
  config.expectOnly("hidden_act", "silu");
  config.ignore({"initial_context_length", "router_aux_loss_coef", "output_router_logits"});
  return model.text(source.name);
}

} // namespace attnc
