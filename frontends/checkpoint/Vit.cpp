#include "frontends/checkpoint/Encoder.h"
#include "frontends/checkpoint/Families.h"
#include <fmt/format.h>

namespace attnc {

/// Adds the body, and the entry point `features`.
static void addBody(Config &config, ModelText &model, const EncoderLayers &layers, const Images &images,
                    llvm::StringRef prefix) {
  Arguments &arguments = model.addField("encoder", "vit.Encoder", prefix).arguments;
  images.addTo(arguments);
  layers.addSizes(arguments);
  layers.addForm(model, arguments);
  if (!config.flag("qkv_bias", true))
    arguments.add("qkv_biased", llvm::StringRef("false"));
  model.addEntry({.comment = "The features of the class token, and of each patch.",
                  .name = "features",
                  .inputs = images.input("batch"),
                  .result = fmt::format("f32[batch, {}, {}]", 1 + images.patches(), layers.dim),
                  .body = "encoder.features(pixel_values)"});
}

ModelText importVit(Config &config, const Source &source) {
  std::string architecture = readArchitecture(config, "ViT", {"Model", "ForImageClassification"});
  expectEncoder(config);
  config.ignore({"encoder_stride"});
  ModelText model{.model = "Vit", .files = {"models.vit"}};
  EncoderLayers layers(config, {12, 768, 3072, 12, "gelu", 1e-12});
  Images images(config, 16);
  config.expectOnly("pooler_act", "tanh");
  config.expectOnly("pooler_output_size", layers.dim);
  bool isBody = architecture == "Model";
  llvm::StringRef prefix = source.hasTensor("vit.embeddings.cls_token", !isBody) ? "vit" : "";
  addBody(config, model, layers, images, prefix);
  if (source.hasTensor(joined(prefix, "pooler.dense.weight"), isBody)) {
    addPooler(model, prefix, layers.dim);
    model.addEntry({.comment = "The summary of an image: a layer on the features of the class token.",
                    .name = "pooled",
                    .inputs = images.input("batch"),
                    .result = fmt::format("f32[batch, {}]", layers.dim),
                    .body = "pooler(encoder.features(pixel_values))"});
  }
  if (!isBody) {
    int64_t labels = readLabels(config);
    model.use("nn");
    Arguments &arguments = model.addField("classifier", "nn.Linear", "classifier", FieldRole::Head).arguments;
    arguments.add("inputs", layers.dim);
    arguments.add("outputs", labels);
    model.addEntry({.comment = "The logits of the class of each image.",
                    .name = "logits",
                    .inputs = images.input("batch"),
                    .result = fmt::format("f32[batch, {}]", labels),
                    .body = "let x = encoder.features(pixel_values)\nclassifier(x[:, 0])"});
    setClassLoss(model, images.input("batch"), "logits(pixel_values)");
  }
  return model;
}

} // namespace attnc
