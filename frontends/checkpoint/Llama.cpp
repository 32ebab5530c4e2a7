#include "frontends/checkpoint/Families.h"
#include "frontends/checkpoint/ModelText.h"
#include "frontends/checkpoint/Rotary.h"

namespace attnc {

/// The sizes that all decoders have, under the names of the module's hyperparameters.
static void readSizes(Config &config, DecoderText &model, int64_t defaultContext) {
  model.vocab = config.size("vocab_size");
  model.context = config.size("max_position_embeddings", defaultContext);
  model.add("vocab", model.vocab);
  model.add("context", model.context);
  model.add("layers", config.size("num_hidden_layers"));
  model.add("dim", config.size("hidden_size"));
  model.add("hidden", config.size("intermediate_size"));
  if (std::vector<int64_t> ends = config.numbers("eos_token_id"); !ends.empty())
    model.stop = ends.front();
}

/// The differences between the families of models/llama.attn.
struct LlamaVariant {
  const char *model;
  int64_t context;                     ///< default of `max_position_embeddings`
  std::optional<int64_t> kvHeads = {}; ///< default of `num_key_value_heads`; null: the number of query heads
  std::optional<int64_t> headDim = {}; ///< default of `head_dim`; null: the width by the number of heads
};

static DecoderText readLlamaForm(Config &config, const LlamaVariant &variant) {
  DecoderText model{.model = variant.model, .file = "models.llama", .usesRotary = true};
  readSizes(config, model, variant.context);
  int64_t heads = config.size("num_attention_heads");
  int64_t headDim =
      config.size("head_dim", variant.headDim.value_or(std::max<int64_t>(config.size("hidden_size") / heads, 1)));
  int64_t kvHeads = config.size("num_key_value_heads", variant.kvHeads.value_or(heads));
  if (heads % kvHeads != 0)
    config.refuse("num_key_value_heads", "a divisor of num_attention_heads");
  if (headDim % 2 != 0)
    config.refuse("head_dim", "an even number");
  model.add("heads", heads);
  model.add("kv_heads", kvHeads);
  model.add("head_dim", headDim);
  Rotary rotary = readRotary(config, {headDim, 10000, model.context});
  model.add("frequency", llvm::StringRef(rotary.frequency));
  if (rotary.gain != 1)
    model.add("gain", rotary.gain);
  model.add("epsilon", config.real("rms_norm_eps", 1e-6));
  config.expectOnly("hidden_act", "silu");
  model.addFlag("tied", config.flag("tie_word_embeddings", false));
  return model;
}

/// Adds a window that all layers have. Layers with and without one are not supported.
static void addWindow(Config &config, DecoderText &model, int64_t window) {
  for (const std::string &type : config.texts("layer_types"))
    if ((type == "sliding_attention") != (window > 0)) {
      config.refuse("layer_types", "layers of one type");
      break;
    }
  if (window > 0)
    model.add("window", window);
}

std::string importLlama(Config &config, llvm::StringRef origin) {
  DecoderText model = readLlamaForm(config, {.model = "Llama", .context = 2048});
  bool isBiased = config.flag("attention_bias", false);
  model.addFlag("qkv_biased", isBiased);
  model.addFlag("out_biased", isBiased);
  model.addFlag("mlp_biased", config.flag("mlp_bias", false));
  config.ignore({"pretraining_tp"});
  return model.text(origin);
}

std::string importMistral(Config &config, llvm::StringRef origin) {
  DecoderText model = readLlamaForm(config, {.model = "Mistral", .context = 131072, .kvHeads = 8});
  // A file without the key has the default; null means no window.
  bool isMissing = !config.contains("sliding_window");
  addWindow(config, model, isMissing ? 4096 : config.has("sliding_window") ? config.size("sliding_window") : 0);
  return model.text(origin);
}

/// The window of Qwen 2 and 3, which layers from `max_window_layers` on have if it is in use.
static void addQwenWindow(Config &config, DecoderText &model) {
  bool hasWindow = config.flag("use_sliding_window", false);
  int64_t window = config.size("sliding_window", 4096);
  std::vector<int64_t> first = config.numbers("max_window_layers");
  if (hasWindow && (first.size() != 1 || first[0] != 0))
    config.refuse("max_window_layers", "0: layers of one type");
  addWindow(config, model, hasWindow ? window : 0);
}

std::string importQwen2(Config &config, llvm::StringRef origin) {
  DecoderText model = readLlamaForm(config, {.model = "Qwen2", .context = 32768, .kvHeads = 32});
  model.add("qkv_biased", llvm::StringRef("true"));
  addQwenWindow(config, model);
  return model.text(origin);
}

std::string importQwen3(Config &config, llvm::StringRef origin) {
  DecoderText model = readLlamaForm(config, {.model = "Qwen3", .context = 32768, .kvHeads = 32, .headDim = 128});
  bool isBiased = config.flag("attention_bias", false);
  model.addFlag("qkv_biased", isBiased);
  model.addFlag("out_biased", isBiased);
  model.add("qk_normed", llvm::StringRef("true"));
  addQwenWindow(config, model);
  return model.text(origin);
}

} // namespace attnc
