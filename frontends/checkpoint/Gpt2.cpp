#include "frontends/checkpoint/Architecture.h"
#include "frontends/checkpoint/DecoderKeys.h"
#include "frontends/checkpoint/Families.h"

namespace attnc {

ModelText importGpt2(Config &config, const Source &source) {
  bool hasPrefix = source.hasTensor("transformer.wte.weight", false);
  DecoderText model{.model = "Gpt2", .file = "models.gpt2", .tensors = hasPrefix ? "transformer" : ""};
  readArchitecture(config, "GPT2", {"LMHeadModel", "Model"});
  int64_t dim = config.size("n_embd", 768), heads = config.size("n_head", 12);
  if (dim % heads != 0)
    config.refuse("n_head", "a divisor of n_embd");
  model.vocab = config.size("vocab_size", 50257);
  model.context = config.size("n_positions", 1024);
  model.add("vocab", model.vocab);
  model.add("context", model.context);
  model.add("layers", config.size("n_layer", 12));
  model.add("dim", dim);
  model.add("hidden", config.size("n_inner", 4 * dim));
  model.add("heads", heads);
  addActivation(model, readActivation(config, "activation_function", "gelu_new"));
  model.add("epsilon", config.positive("layer_norm_epsilon", 1e-5));
  readEnd(config, model);
  config.expectOnly("scale_attn_weights", true);
  config.expectOnly("scale_attn_by_inverse_layer_idx", false);
  config.expectOnly("tie_word_embeddings", true);
  // `n_ctx` repeats `n_positions`; the others are about rounding, and about heads of other classes.
  config.ignore({"n_ctx", "reorder_and_upcast_attn", "attn_pdrop", "summary_activation", "summary_first_dropout",
                 "summary_proj_to_labels", "summary_type", "summary_use_proj", "n_special", "predict_special_tokens"});
  return model.asModel();
}

} // namespace attnc
