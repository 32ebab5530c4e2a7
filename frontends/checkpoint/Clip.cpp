#include "frontends/checkpoint/Encoder.h"
#include "frontends/checkpoint/Families.h"
#include <fmt/format.h>

namespace attnc {

namespace {

/// The differences between CLIP and SigLIP.
struct Form {
  llvm::StringLiteral library; ///< first part of the names of the library's classes
  llvm::StringLiteral model, file;
  EncoderDefaults text, images;
  int64_t vocab, context, patch;
  bool isSiglip = false;
};

/// An encoder of texts or of images.
struct Part {
  llvm::StringLiteral noun;               ///< "text" or "image"
  int64_t dim, outputs;                   ///< number of features, and of those of `pooled`
  std::string features = {}, pooled = {}; ///< expressions; `pooled` is empty if the encoder has no head
  std::string positions = {};             ///< size of a dimension: "seq"
  std::string input = {};                 ///< of the entry points for a batch
  std::string pairInput = {};             ///< of the comparison of all pairs
};

} // namespace

static constexpr Form clip = {.library = "CLIP",
                              .model = "Clip",
                              .file = "clip",
                              .text = {12, 512, 2048, 8, "quick_gelu", 1e-5},
                              .images = {12, 768, 3072, 12, "quick_gelu", 1e-5},
                              .vocab = 49408,
                              .context = 77,
                              .patch = 32};
static constexpr Form siglip = {.library = "Siglip",
                                .model = "Siglip",
                                .file = "siglip",
                                .text = {12, 768, 3072, 12, "gelu_pytorch_tanh", 1e-6},
                                .images = {12, 768, 3072, 12, "gelu_pytorch_tanh", 1e-6},
                                .vocab = 32000,
                                .context = 64,
                                .patch = 16,
                                .isSiglip = true};

static std::string moduleOf(const Form &form, llvm::StringRef name) { return (form.file + "." + name).str(); }

/// The token that ends a text; -1: the token with the largest number, as in older files, whose number of the end is 2.
static int64_t readEnd(Config &config) {
  std::vector<int64_t> end = config.numbers("eos_token_id");
  if (end.empty())
    return 49407;
  if (end.size() > 1 || end.front() < 0)
    config.refuse("eos_token_id", "one token");
  return end.front() == 2 ? -1 : end.front();
}

/// Adds the field `text`.
static Part addTextEncoder(Config &config, ModelText &model, const Form &form) {
  ignoreIrrelevantKeys(config);
  EncoderLayers layers(config, form.text);
  int64_t context = config.size("max_position_embeddings", form.context);
  Part part{.noun = "text", .dim = layers.dim, .outputs = layers.dim};
  Arguments &arguments = model.addField("text", moduleOf(form, "TextEncoder"), "text_model").arguments;
  arguments.add("vocab", config.size("vocab_size", form.vocab));
  arguments.add("context", context);
  layers.addSizes(arguments);
  if (form.isSiglip) {
    part.outputs = config.size("projection_size", layers.dim);
    arguments.add("outputs", part.outputs);
  } else {
    arguments.add("end", readEnd(config));
  }
  layers.addForm(model, arguments);
  expectEncoder(config);
  part.input = fmt::format("tokens: i32[batch, seq <= {}]", context);
  part.pairInput = fmt::format("tokens: i32[texts, seq <= {}]", context);
  part.positions = "seq";
  part.features = "text.features(tokens)";
  part.pooled = "text.pooled(tokens)";
  return part;
}

/// Adds the field `vision`, and `head` if the pooling is a module of its own.
static Part addImageEncoder(Config &config, ModelText &model, const Form &form) {
  ignoreIrrelevantKeys(config);
  EncoderLayers layers(config, form.images);
  Images images(config, form.patch);
  Part part{.noun = "image", .dim = layers.dim, .outputs = layers.dim};
  Arguments &arguments = model.addField("vision", moduleOf(form, "ImageEncoder"), "vision_model").arguments;
  images.addTo(arguments);
  layers.addSizes(arguments);
  layers.addForm(model, arguments);
  expectEncoder(config);
  part.input = images.input("batch");
  part.pairInput = images.input("images");
  part.positions = std::to_string(images.patches() + (form.isSiglip ? 0 : 1));
  part.features = "vision.features(pixel_values)";
  if (!form.isSiglip) {
    part.pooled = "vision.pooled(pixel_values)";
  } else if (config.flag("vision_use_head", true)) {
    Arguments &head = model.addField("head", "siglip.PoolingHead", "vision_model.head", FieldRole::Part).arguments;
    head.add("dim", layers.dim);
    head.add("hidden", layers.hidden);
    head.add("heads", layers.heads);
    layers.addForm(model, head);
    part.pooled = "head(vision.features(pixel_values))";
  }
  return part;
}

/// Adds the entry points `features` and `pooled`.
static void addEntries(ModelText &model, const Part &part) {
  model.addEntry({.comment = "The features of each position.",
                  .name = "features",
                  .inputs = part.input,
                  .result = fmt::format("f32[batch, {}, {}]", part.positions, part.dim),
                  .body = part.features});
  if (!part.pooled.empty())
    model.addEntry({.comment = fmt::format("The summary of each {}.", part.noun.str()),
                    .name = "pooled",
                    .inputs = part.input,
                    .result = fmt::format("f32[batch, {}]", part.outputs),
                    .body = part.pooled});
}

/// Adds an entry point for embeddings: linear maps of summaries, by a field `projection` if it is not empty.
static void addEmbedding(ModelText &model, const Part &part, llvm::StringRef name, llvm::StringRef projection,
                         int64_t outputs) {
  std::string body = part.pooled;
  if (!projection.empty()) {
    model.use("nn");
    Arguments &arguments = model.addField(projection, "nn.Linear", projection, FieldRole::Part).arguments;
    arguments.add("inputs", part.outputs);
    arguments.add("outputs", outputs);
    arguments.add("biased", llvm::StringRef("false"));
    body = fmt::format("{}({})", projection.str(), body);
  }
  model.addEntry({.comment = fmt::format("The embedding of each {}, not normalised.", part.noun.str()),
                  .name = name.str(),
                  .inputs = part.input,
                  .result = fmt::format("f32[batch, {}]", outputs),
                  .body = body});
}

/// A key of `part` or, in older files, of `part`_dict, which has precedence.
static Config readPart(Config &config, llvm::StringRef part) {
  std::string older = (part + "_dict").str();
  return config.part(config.has(older) ? llvm::StringRef(older) : part);
}

/// Imports both encoders and their comparison.
static ModelText importPair(Config &config, const Source &source, const Form &form) {
  readArchitecture(config, form.library, {"Model"});
  config.ignore({"text_config", "vision_config", "logit_scale_init_value", "tie_word_embeddings"});
  ModelText model{.model = form.model.str(), .files = {("models." + form.file).str()}};
  Config textConfig = readPart(config, "text_config"), imageConfig = readPart(config, "vision_config");
  textConfig.ignore({"projection_dim"});
  imageConfig.ignore({"projection_dim"});
  Part text = addTextEncoder(textConfig, model, form), images = addImageEncoder(imageConfig, model, form);
  int64_t outputs = form.isSiglip ? text.outputs : config.size("projection_dim", 512);
  if (images.pooled.empty())
    imageConfig.refuse("vision_use_head", "true");
  if (form.isSiglip && text.outputs != images.outputs)
    textConfig.refuse("projection_size", "hidden_size of vision_config");
  addEmbedding(model, text, "text_embedding", form.isSiglip ? "" : "text_projection", outputs);
  addEmbedding(model, images, "image_embedding", form.isSiglip ? "" : "visual_projection", outputs);
  model.addField("similarity", moduleOf(form, "Similarity"), "", FieldRole::Part);
  model.addEntry({.comment = "The logits of each pair of an image and a text.",
                  .name = "logits",
                  .inputs = images.pairInput + ", " + text.pairInput,
                  .result = "f32[images, texts]",
                  .body = "similarity(image_embedding(pixel_values), text_embedding(tokens))"});
  model.loss = LossText{
      form.isSiglip ? "mean over the images of the binary cross-entropies of their pairs with all texts"
                    : "mean cross-entropy of the text of each image and the image of each text",
      images.input + ", " + text.input,
      fmt::format("losses.{}(logits(pixel_values, tokens))", form.isSiglip ? "pair_loss" : "contrastive_loss")};
  return model;
}

/// Imports an encoder of texts or of images alone, with its projection if there is one.
static ModelText importPart(Config &config, const Source &source, const Form &form, bool isOfTexts) {
  std::string plain = isOfTexts ? "TextModel" : "VisionModel", projected = plain + "WithProjection";
  llvm::SmallVector<llvm::StringRef> supported = {plain};
  if (!form.isSiglip)
    supported.push_back(projected);
  std::string architecture = readArchitecture(config, form.library, supported);
  ModelText model{.model = form.model.str(), .files = {("models." + form.file).str()}};
  Part part = isOfTexts ? addTextEncoder(config, model, form) : addImageEncoder(config, model, form);
  addEntries(model, part);
  int64_t outputs = config.size("projection_dim", 512);
  if (architecture == projected)
    addEmbedding(model, part, isOfTexts ? "text_embedding" : "image_embedding",
                 isOfTexts ? "text_projection" : "visual_projection", outputs);
  return model;
}

ModelText importClip(Config &config, const Source &source) { return importPair(config, source, clip); }
ModelText importClipText(Config &config, const Source &source) {
  return importPart(config, source, clip, /*isOfTexts=*/true);
}
ModelText importClipVision(Config &config, const Source &source) {
  return importPart(config, source, clip, /*isOfTexts=*/false);
}
ModelText importSiglip(Config &config, const Source &source) { return importPair(config, source, siglip); }
ModelText importSiglipText(Config &config, const Source &source) {
  return importPart(config, source, siglip, /*isOfTexts=*/true);
}
ModelText importSiglipVision(Config &config, const Source &source) {
  return importPart(config, source, siglip, /*isOfTexts=*/false);
}

} // namespace attnc
