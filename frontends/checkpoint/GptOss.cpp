#include "frontends/checkpoint/DecoderKeys.h"
#include "frontends/checkpoint/Families.h"
#include "frontends/checkpoint/Rotary.h"

namespace attnc {

ModelText importGptOss(Config &config, const Source &source) {
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
  readExperts(config, model, "num_local_experts", {128, 4});
  model.add("alpha", config.real("swiglu_alpha", 1.702));
  model.add("limit", config.positive("swiglu_limit", 7.0));
  model.add("epsilon", config.positive("rms_norm_eps", 1e-5));
  model.addFlag("biased", config.flag("attention_bias", true));
  model.addFlag("tied", config.flag("tie_word_embeddings", false));
  config.expectOnly("hidden_act", "silu");
  config.ignore({"initial_context_length"});
  return model.asModel();
}

} // namespace attnc
