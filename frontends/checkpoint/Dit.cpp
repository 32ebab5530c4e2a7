#include "frontends/checkpoint/Families.h"
#include "frontends/checkpoint/ModelText.h"
#include <fmt/format.h>

namespace attnc {

/// Reads the keys that have one supported value. `isGeneral`: the file is of the class of all transformers of images,
/// whose defaults differ.
static void expectForm(Config &config, bool isGeneral) {
  if (config.text("norm_type", isGeneral ? "layer_norm" : "ada_norm_zero") != "ada_norm_zero")
    config.refuse("norm_type", "\"ada_norm_zero\"");
  if (config.flag("norm_elementwise_affine", isGeneral))
    config.refuse("norm_elementwise_affine", "false");
  for (const char *key : {"double_self_attention", "only_cross_attention", "use_linear_projection"})
    config.expectOnly(key, false);
  for (const char *key : {"caption_channels", "cross_attention_dim", "interpolation_scale", "num_vector_embeds"})
    config.expectOnly(key, nullptr);
  config.expectOnly("attention_type", "default");
  // Groups belong to other kinds of norms; attention has sums in f32 anyway.
  config.ignore({"_diffusers_version", "norm_num_groups", "upcast_attention"});
}

/// Adds the arguments of the blocks. The label `classes` stands for no class.
static void addBlocks(Config &config, ModelText &model, Arguments &arguments, int64_t classes) {
  int64_t heads = config.size("num_attention_heads", 16), headDim = config.size("attention_head_dim", 72);
  if (heads * headDim % 4 != 0)
    config.refuse("attention_head_dim", "a multiple of 4 features in all heads together");
  arguments.add("layers", config.size("num_layers", 28));
  arguments.add("heads", heads);
  arguments.add("head_dim", headDim);
  arguments.add("classes", classes);
  std::string activation = config.text("activation_fn", "gelu-approximate");
  if (activation == "gelu") {
    model.use("nn");
    arguments.add("activation", llvm::StringRef("nn.gelu"));
  } else if (activation != "gelu-approximate") {
    config.refuse("activation_fn", "gelu or gelu-approximate");
  }
  arguments.add("epsilon", config.positive("norm_eps", 1e-5));
  if (!config.flag("attention_bias", true))
    arguments.add("qkv_biased", llvm::StringRef("false"));
}

static ModelText importDitForm(Config &config, const Source &source, bool isGeneral) {
  expectForm(config, isGeneral);
  ModelText model{.model = "Dit", .files = {"models.dit"}};
  int64_t size = config.size("sample_size", 32), patch = config.size("patch_size", 2);
  if (size % patch != 0)
    config.refuse("patch_size", "a divisor of sample_size");
  int64_t channels = config.size("in_channels", 4), outputs = config.size("out_channels", channels);
  Arguments &arguments = model.addField("network", "dit.Transformer", "").arguments;
  arguments.add("size", size);
  arguments.add("patch", patch);
  arguments.add("channels", channels);
  arguments.add("outputs", outputs);
  int64_t classes = config.size("num_embeds_ada_norm", 1000);
  addBlocks(config, model, arguments, classes);
  std::string comment = "One denoising step: the noise in the latents";
  comment += outputs > channels ? fmt::format(", and its variance in the channels from {} on.", channels) : ".";
  model.addEntry(
      {.comment = comment,
       .name = "sample",
       .inputs = fmt::format("latents: f32[batch, {0}, {1}, {1}], timesteps: i32[batch], class_labels: i32[batch]",
                             channels, size),
       .result = fmt::format("f32[batch, {0}, {1}, {1}]", outputs, size),
       .body = "network(latents, timesteps, class_labels)"});
  model.loss =
      LossText{.comment = "mean squared error of the noise in images at random time steps",
               .inputs = fmt::format("latents: f32[batch, {0}, {1}, {1}], class_labels: i32[batch]", channels, size),
               .body = fmt::format("let labels = losses.some_replaced(class_labels, unlabelled, {})\n"
                                   "losses.noise_loss((noisy, t) => network(noisy, t, labels), latents)",
                                   classes),
               .hyperparameters = {"unlabelled = 0.1"}};
  return model;
}

ModelText importDit(Config &config, const Source &source) { return importDitForm(config, source, /*isGeneral=*/false); }

ModelText importTransformer2d(Config &config, const Source &source) {
  return importDitForm(config, source, /*isGeneral=*/true);
}

} // namespace attnc
