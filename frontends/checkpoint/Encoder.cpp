#include "frontends/checkpoint/Encoder.h"
#include "llvm/ADT/StringExtras.h"
#include <fmt/format.h>

using namespace llvm;

namespace attnc {

std::string joined(StringRef prefix, StringRef name) { return (prefix + (prefix.empty() ? "" : ".") + name).str(); }

void expectEncoder(Config &config) {
  config.expectOnly("is_decoder", false);
  config.expectOnly("is_encoder_decoder", false);
  config.expectOnly("add_cross_attention", false);
  config.expectOnly("pruned_heads", json::Object());
  config.ignore({"eos_token_id", "tie_word_embeddings"});
}

EncoderLayers::EncoderLayers(Config &config, const EncoderDefaults &defaults)
    : layers(config.size("num_hidden_layers", defaults.layers)), dim(config.size("hidden_size", defaults.dim)),
      hidden(config.size("intermediate_size", defaults.hidden)),
      heads(config.size("num_attention_heads", defaults.heads)),
      activation(readActivation(config, defaults.activationKey, defaults.activation)),
      epsilon(config.positive(defaults.epsilonKey, defaults.epsilon)) {
  if (dim % heads != 0)
    config.refuse("num_attention_heads", "a divisor of hidden_size");
}

void EncoderLayers::addSizes(Arguments &arguments) const {
  arguments.add("layers", layers);
  arguments.add("dim", dim);
  arguments.add("hidden", hidden);
  arguments.add("heads", heads);
}

void addActivation(ModelText &model, Arguments &arguments, const Activation &activation) {
  if (!activation.function.empty())
    arguments.add("activation", StringRef(activation.function));
  if (!activation.file.empty())
    model.use(activation.file);
}

void EncoderLayers::addForm(ModelText &model, Arguments &arguments) const {
  addActivation(model, arguments, activation);
  arguments.add("epsilon", epsilon);
}

void addTextFeatures(ModelText &model, StringRef inputs, int64_t dim, StringRef body) {
  model.addEntry(
      {.comment = "The features of each position. Row b has length[b] tokens; the features of padding mean nothing.",
       .name = "features",
       .inputs = inputs.str(),
       .result = fmt::format("f32[batch, seq, {}]", dim),
       .body = body.str()});
}

void addMaskedLogits(ModelText &model, StringRef inputs, int64_t vocab, StringRef body) {
  model.addEntry({.comment = "The logits of the token at each position.",
                  .name = "logits",
                  .inputs = inputs.str(),
                  .result = fmt::format("f32[batch, seq, {}]", vocab),
                  .body = body.str()});
}

void setClassLoss(ModelText &model, StringRef inputs, StringRef logits) {
  model.loss = LossText{"mean cross-entropy of the classes", (inputs + ", label: i32[batch]").str(),
                        fmt::format("mean(nn.cross_entropy({}, label))", logits.str())};
}

void setMaskedLoss(ModelText &model, const Source &source, const MaskedText &text) {
  std::optional<int64_t> mask = source.addedToken({"[MASK]", "<mask>"});
  LossText loss = {
      .comment = "mean cross-entropy of tokens that are hidden from the network",
      .inputs = text.tokens,
      .body = fmt::format("losses.masked_loss((tokens, length) => {}, tokens, {}, mask)", text.logits, text.vocab),
      .hyperparameters = {mask ? fmt::format("mask = {}", *mask) : "mask"}};
  if (!mask)
    loss.notes = {"The folder has no tokenizer with a token [MASK] or <mask>: `--set mask=...` gives its number."};
  model.loss = std::move(loss);
}

void setLabelsLoss(ModelText &model, StringRef tokens, StringRef logits) {
  model.loss = LossText{"mean cross-entropy of the classes of tokens", (tokens + ", labels: i32[batch, seq]").str(),
                        fmt::format("let length = losses.text_lengths(tokens)\n"
                                    "losses.label_loss({}, labels, length)",
                                    logits.str())};
}

void addPooler(ModelText &model, StringRef prefix, int64_t dim) {
  model.use("models.encoders");
  FieldText &pooler = model.addField("pooler", "encoders.Pooler", joined(prefix, "pooler"), FieldRole::Part);
  pooler.arguments.add("dim", dim);
}

int64_t readLabels(Config &config) {
  int64_t number = config.size("num_labels", config.size("_num_labels", 2));
  return config.entries("id2label").value_or(number);
}

/// A width, which files may have as two equal numbers.
static int64_t readWidth(Config &config, StringRef key, int64_t otherwise) {
  std::vector<int64_t> widths = config.numbers(key);
  if (widths.empty())
    return otherwise;
  if (widths.size() <= 2 && all_equal(widths) && widths.front() >= 1 && widths.front() <= INT32_MAX)
    return widths.front();
  config.refuse(key, "a positive whole number, or two equal ones");
  return otherwise;
}

Images::Images(Config &config, int64_t defaultPatch)
    : size(readWidth(config, "image_size", 224)), patch(readWidth(config, "patch_size", defaultPatch)),
      channels(config.size("num_channels", 3)) {
  if (patch > size)
    config.refuse("patch_size", "at most image_size");
}

void Images::addTo(Arguments &arguments) const {
  arguments.add("image", size);
  arguments.add("patch", patch);
  arguments.add("channels", channels);
}

std::string Images::input(StringRef count) const {
  return fmt::format("pixel_values: f32[{0}, {1}, {2}, {2}]", count.str(), channels, size);
}

} // namespace attnc
