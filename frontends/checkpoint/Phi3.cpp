#include "frontends/checkpoint/DecoderKeys.h"
#include "frontends/checkpoint/Families.h"
#include "frontends/checkpoint/Rotary.h"

namespace attnc {

ModelText importPhi3(Config &config, const Source &source) {
  DecoderText model{.model = "Phi3", .file = "models.phi3", .uses = {"models.rotary"}};
  expectLanguageModel(config, "Phi3");
  readSizes(config, model, 4096);
  model.add("layers", config.size("num_hidden_layers"));
  int64_t headDim = readHeads(config, model, {});
  int64_t turned = readRotatedFeatures(config, headDim, 1);
  model.add("turned", turned);
  config.size("original_max_position_embeddings", 4096); // of longrope
  Rotary rotary = readRotary(config, {turned, 10000, model.context, /*hasYarn=*/false, {}, /*longRopeContext=*/4096});
  model.add("frequency", llvm::StringRef(rotary.frequency));
  if (rotary.gain != 1)
    model.add("gain", rotary.gain);
  if (rotary.shortContext > 0)
    model.longContext = std::exchange(model.context, rotary.shortContext);
  if (config.has("sliding_window"))
    model.add("window", config.size("sliding_window"));
  model.add("epsilon", config.positive("rms_norm_eps", 1e-5));
  config.expectOnly("hidden_act", "silu");
  for (const char *key : {"attention_bias", "mlp_bias", "lm_head_bias"})
    config.expectOnly(key, false);
  for (const char *key : {"full_attn_mod", "interpolate_factor"})
    config.expectOnly(key, 1);
  model.addFlag("tied", config.flag("tie_word_embeddings", false));
  return model.asModel();
}

} // namespace attnc
