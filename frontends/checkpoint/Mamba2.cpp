#include "frontends/checkpoint/Activation.h"
#include "frontends/checkpoint/DecoderKeys.h"
#include "frontends/checkpoint/Families.h"
#include <cmath>

namespace attnc {

/// The limits of the steps of time.
static void readStepLimits(Config &config, DecoderText &model) {
  std::vector<double> limits = config.reals("time_step_limit");
  if (limits.empty())
    return;
  if (limits.size() != 2 || !(limits[0] >= 0 && limits[0] <= limits[1] && std::isfinite(limits[0])))
    return config.refuse("time_step_limit", "two numbers from 0 up, the second at least as large as the first");
  if (limits[0] > 0)
    model.add("least_step", limits[0]);
  if (std::isfinite(limits[1]))
    model.add("most_step", limits[1]);
}

ModelText importMamba2(Config &config, const Source &source) {
  DecoderText model{.model = "Mamba2", .file = "models.mamba2", .context = 0};
  expectLanguageModel(config, "Mamba2");
  model.vocab = config.size("vocab_size", 32768);
  model.add("vocab", model.vocab);
  model.add("layers", config.size("num_hidden_layers", 64));
  int64_t dim = config.size("hidden_size", 4096), heads = config.size("num_heads", 128);
  int64_t headDim = config.size("head_dim", 64), groups = config.size("n_groups", 8);
  if (std::floor(config.positive("expand", 2) * double(dim)) != double(heads * headDim))
    config.refuse("expand", "num_heads * head_dim / hidden_size");
  if (heads % groups != 0)
    config.refuse("n_groups", "a divisor of num_heads");
  model.add("dim", dim);
  model.add("heads", heads);
  model.add("head_dim", headDim);
  model.add("state_dim", config.size("state_size", 128));
  model.add("groups", groups);
  model.add("kernel", config.size("conv_kernel", 4));
  addActivation(model, readActivation(config, "hidden_act", "silu"));
  readStepLimits(config, model);
  model.add("epsilon", config.positive("layer_norm_epsilon", 1e-5));
  model.addFlag("biased", config.flag("use_bias", false));
  if (!config.flag("use_conv_bias", true))
    model.add("conv_biased", llvm::StringRef("false"));
  model.addFlag("tied", config.flag("tie_word_embeddings", false));
  readEnd(config, model);
  config.expectOnly("rms_norm", true);
  // They are about initial values, rounding, and the order of computations. The class has no norm before the gate.
  config.ignore({"chunk_size", "norm_before_gate", "rescale_prenorm_residual", "residual_in_fp32", "time_step_floor",
                 "time_step_max", "time_step_min", "time_step_rank"});
  return model.asModel();
}

} // namespace attnc
