#include "frontends/checkpoint/DecoderKeys.h"
#include "frontends/checkpoint/Families.h"
#include "frontends/checkpoint/Rotary.h"
#include "llvm/ADT/APFloat.h"
#include <cmath>

namespace attnc {

/// sqrt(dim), rounded to the type of the file, as the published implementation computes it.
static double embeddingScale(Config &config, int64_t dim) {
  std::string type = config.text("dtype", config.text("torch_dtype", "float32"));
  llvm::APFloat scale(std::sqrt(static_cast<float>(dim)));
  bool isInexact = false;
  const llvm::fltSemantics &stored = type == "bfloat16"  ? llvm::APFloat::BFloat()
                                     : type == "float16" ? llvm::APFloat::IEEEhalf()
                                                         : llvm::APFloat::IEEEsingle();
  scale.convert(stored, llvm::APFloat::rmNearestTiesToEven, &isInexact);
  return scale.convertToDouble();
}

static DecoderText readGemma(Config &config, const char *name, int64_t context, int64_t defaultPeriod) {
  DecoderText model{.model = name, .file = "models.gemma", .uses = {"models.rotary"}};
  expectLanguageModel(config, name);
  readSizes(config, model, context);
  readPeriods(config, model, defaultPeriod);
  readHeads(config, model, {.kvHeads = 4, .headDim = 256});
  model.add("window", config.size("sliding_window", 4096));
  model.add("score_dim", config.positive("query_pre_attn_scalar", 256));
  model.add("scale", embeddingScale(config, config.size("hidden_size")));
  model.add("epsilon", config.positive("rms_norm_eps", 1e-6));
  config.expectOnly("partial_rotary_factor", 1.0);
  config.expectOnly("hidden_activation", "gelu_pytorch_tanh");
  config.expectOnly("attention_bias", false);
  config.expectOnly("tie_word_embeddings", true);
  config.expectOnly("use_bidirectional_attention", false);
  config.ignore({"hidden_act"}); // `hidden_activation` replaces it
  return model;
}

/// Adds a soft cap; a cap that is null limits nothing.
static void addCap(Config &config, DecoderText &model, llvm::StringRef name, llvm::StringRef key, double byDefault) {
  double cap = config.isNull(key) ? 0 : config.real(key, byDefault);
  if (cap != 0)
    model.add(name, cap);
}

ModelText importGemma2(Config &config, const Source &source) {
  DecoderText model = readGemma(config, "Gemma2", 8192, 2);
  std::string frequency =
      readRotary(config, {config.size("head_dim", 256), 10000, model.context, /*hasYarn=*/false}).frequency;
  model.add("frequency", llvm::StringRef(frequency));
  model.add("local_frequency", llvm::StringRef(frequency));
  addCap(config, model, "score_cap", "attn_logit_softcapping", 50);
  addCap(config, model, "logit_cap", "final_logit_softcapping", 30);
  config.ignore({"sliding_window_size"});
  return model.asModel();
}

ModelText importGemma3(Config &config, const Source &source) {
  int64_t period = config.size("sliding_window_pattern", config.size("_sliding_window_pattern", 6));
  DecoderText model = readGemma(config, "Gemma3", 131072, period);
  LayerRotary rotary = readLayerRotary(config, {config.size("head_dim", 256), 1e6, model.context, /*hasYarn=*/false},
                                       config.positive("rope_local_base_freq", 10000));
  model.add("frequency", llvm::StringRef(rotary.full.frequency));
  model.add("local_frequency", llvm::StringRef(rotary.sliding.frequency));
  model.add("qk_normed", llvm::StringRef("true"));
  addCap(config, model, "score_cap", "attn_logit_softcapping", 0);
  addCap(config, model, "logit_cap", "final_logit_softcapping", 0);
  return model.asModel();
}

} // namespace attnc
