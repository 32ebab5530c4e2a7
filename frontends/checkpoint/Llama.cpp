#include "frontends/checkpoint/DecoderKeys.h"
#include "frontends/checkpoint/Families.h"
#include "frontends/checkpoint/Rotary.h"
#include <algorithm>

namespace attnc {

/// The differences between the families of models/llama.attn and models/mixture.attn.
struct LlamaVariant {
  const char *model;
  const char *library; ///< begins the names of the library's classes
  int64_t context;     ///< default of `max_position_embeddings`
  HeadDefaults heads = {};
  const char *file = "models.llama";
  double base = 10000;   ///< default of `rope_theta`
  double epsilon = 1e-6; ///< default of `rms_norm_eps`
  HiddenKey hidden = {};
  const char *layers = "layers"; ///< hyperparameter of the number of layers; null: the layers differ
};

static DecoderText readLlamaForm(Config &config, const LlamaVariant &variant) {
  DecoderText model{.model = variant.model, .file = variant.file, .uses = {"models.rotary"}};
  expectLanguageModel(config, variant.library);
  readSizes(config, model, variant.context, variant.hidden);
  int64_t layers = config.size("num_hidden_layers");
  if (variant.layers)
    model.add(variant.layers, layers);
  int64_t headDim = readHeads(config, model, variant.heads);
  expectWholeHeads(config);
  Rotary rotary = readRotary(config, {headDim, variant.base, model.context});
  model.add("frequency", llvm::StringRef(rotary.frequency));
  if (rotary.gain != 1)
    model.add("gain", rotary.gain);
  model.add("epsilon", config.positive("rms_norm_eps", variant.epsilon));
  config.expectOnly("hidden_act", "silu");
  config.expectOnly("rope_interleaved", false);
  model.addFlag("tied", config.flag("tie_word_embeddings", false));
  return model;
}

/// The number of keys of a window; 0 if the key is null, which means no window.
static int64_t readWindow(Config &config) {
  return config.isNull("sliding_window") ? 0 : config.size("sliding_window", 4096);
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

ModelText importLlama(Config &config, const Source &source) {
  DecoderText model = readLlamaForm(config, {.model = "Llama", .library = "Llama", .context = 2048});
  bool isBiased = config.flag("attention_bias", false);
  model.addFlag("qkv_biased", isBiased);
  model.addFlag("out_biased", isBiased);
  model.addFlag("mlp_biased", config.flag("mlp_bias", false));
  config.ignore({"pretraining_tp"});
  return model.asModel();
}

ModelText importMistral(Config &config, const Source &source) {
  DecoderText model = readLlamaForm(
      config, {.model = "Mistral", .library = "Mistral", .context = 131072, .heads = {.kvHeads = 8, .headDim = {}}});
  config.expectOnly("attention_bias", false);
  config.expectOnly("mlp_bias", false);
  addWindow(config, model, readWindow(config));
  return model.asModel();
}

/// The window of Qwen 2 and 3, which layers from `max_window_layers` on have if it is in use. `layer_types` says the
/// same.
static void addQwenWindow(Config &config, DecoderText &model) {
  config.expectOnly("mlp_bias", false);
  config.expectOnly("use_mrope", false);
  int64_t layers = config.size("num_hidden_layers"), window = readWindow(config), first = 28;
  if (std::vector<int64_t> given = config.numbers("max_window_layers"); !given.empty())
    first = std::clamp<int64_t>(given.front(), 0, layers);
  if (!config.flag("use_sliding_window", false) || window == 0)
    first = layers;
  if (std::vector<std::string> types = config.texts("layer_types"); !types.empty()) {
    first = std::find(types.begin(), types.end(), "sliding_attention") - types.begin();
    if (int64_t(types.size()) != layers || std::count(types.begin() + first, types.end(), "full_attention") > 0)
      config.refuse("layer_types", "for each layer full_attention, or from one layer on sliding_attention");
  }
  if (first >= layers)
    return;
  model.add("window", window);
  if (first > 0)
    model.add("full_layers", first);
}

ModelText importQwen2(Config &config, const Source &source) {
  DecoderText model = readLlamaForm(
      config, {.model = "Qwen2", .library = "Qwen2", .context = 32768, .heads = {.kvHeads = 32, .headDim = {}}});
  model.add("qkv_biased", llvm::StringRef("true"));
  addQwenWindow(config, model);
  return model.asModel();
}

ModelText importQwen3(Config &config, const Source &source) {
  DecoderText model = readLlamaForm(
      config, {.model = "Qwen3", .library = "Qwen3", .context = 32768, .heads = {.kvHeads = 32, .headDim = 128}});
  bool isBiased = config.flag("attention_bias", false);
  model.addFlag("qkv_biased", isBiased);
  model.addFlag("out_biased", isBiased);
  model.add("qk_normed", llvm::StringRef("true"));
  addQwenWindow(config, model);
  return model.asModel();
}

ModelText importMixtral(Config &config, const Source &source) {
  DecoderText model = readLlamaForm(config, {.model = "Mixtral",
                                             .library = "Mixtral",
                                             .context = 131072,
                                             .heads = {.kvHeads = 8, .headDim = {}},
                                             .file = "models.mixture",
                                             .base = 1e6,
                                             .epsilon = 1e-5,
                                             .layers = "periods"});
  readExperts(config, model, "num_local_experts", {8, 2});
  model.add("renormalised", llvm::StringRef("true"));
  model.add("block_sparse", llvm::StringRef("true"));
  if (config.has("sliding_window"))
    addWindow(config, model, config.size("sliding_window"));
  return model.asModel();
}

/// Adds the layers with mixtures of experts: those at every `decoder_sparse_step`-th place that `mlp_only_layers` does
/// not list, if they are the last ones of equal periods.
static void addSparseLayers(Config &config, DecoderText &model) {
  int64_t layers = config.size("num_hidden_layers"), step = config.size("decoder_sparse_step", 1);
  std::vector<int64_t> listed = config.numbers("mlp_only_layers"), sparse;
  for (int64_t layer = step - 1; layer < layers; layer += step)
    if (!llvm::is_contained(listed, layer))
      sparse.push_back(layer);
  int64_t periods = int64_t(sparse.size()), period = periods > 1 ? sparse[1] - sparse[0] : 1;
  int64_t dense = periods > 0 ? sparse[0] - (period - 1) : layers;
  for (int64_t index = 0; index < periods; ++index)
    if (dense < 0 || sparse[index] != dense + period * (index + 1) - 1)
      return config.refuse("mlp_only_layers", "no layer, or layers that leave mixtures at the ends of equal periods");
  model.add("periods", periods);
  if (periods == layers)
    return;
  model.add("period", period);
  model.add("dense", dense);
  model.add("rest", layers - dense - period * periods);
  model.add("dense_hidden", config.size("intermediate_size", 6144));
}

ModelText importQwen3Moe(Config &config, const Source &source) {
  DecoderText model = readLlamaForm(config, {.model = "Qwen3Moe",
                                             .library = "Qwen3Moe",
                                             .context = 32768,
                                             .heads = {.kvHeads = 4, .headDim = {}},
                                             .file = "models.mixture",
                                             .hidden = {"moe_intermediate_size", 768},
                                             .layers = nullptr});
  addSparseLayers(config, model);
  readExperts(config, model, config.has("num_experts") ? "num_experts" : "num_local_experts", {128, 8});
  model.addFlag("biased", config.flag("attention_bias", false));
  model.add("qk_normed", llvm::StringRef("true"));
  model.addFlag("renormalised", config.flag("norm_topk_prob", false));
  config.expectOnly("use_sliding_window", false);
  config.ignore({"intermediate_size", "sliding_window", "max_window_layers"});
  return model.asModel();
}

} // namespace attnc
