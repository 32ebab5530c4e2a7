#include "frontends/checkpoint/Encoder.h"
#include "frontends/checkpoint/Families.h"
#include <fmt/format.h>

namespace attnc {

namespace {

/// The differences between BERT and families of the same form.
struct BertVariant {
  llvm::StringLiteral model;  ///< also the first part of the names of the library's classes
  llvm::StringLiteral prefix; ///< of the names of tensors, unless the file has the body alone
  bool isRoberta = false;     ///< positions from the padding token on, and the heads of RoBERTa
};

/// A model file, and the values that several of its parts have.
struct BertText {
  ModelText model;
  EncoderLayers layers;
  int64_t vocab;
  std::string prefix = {};   ///< of the names of tensors
  std::string norm = {};     ///< the module of norms
  std::string inputs = {};   ///< of all entry points
  std::string features = {}; ///< an expression
  std::string tokens = {};   ///< the input of losses; texts of losses have tokens of type 0 only

  void addEntry(llvm::StringRef name, llvm::StringRef shape, llvm::StringRef body, llvm::StringRef comment) {
    model.addEntry({.comment = comment.str(),
                    .name = name.str(),
                    .inputs = inputs,
                    .result = fmt::format("f32[batch, {}]", shape.str()),
                    .body = body.str()});
  }
  void addForm(Arguments &arguments) {
    layers.addForm(model, arguments);
    if (norm != "nn.LayerNorm")
      arguments.add("norm", llvm::StringRef(norm));
  }
};

} // namespace

/// The number of positions before the first token.
static int64_t readFirst(Config &config, int64_t positions) {
  std::vector<int64_t> padding = config.numbers("pad_token_id");
  int64_t first = padding.empty() ? 2 : padding.front() + 1;
  if (first >= 1 && first < positions)
    return first;
  config.refuse("pad_token_id", "a token with at least one position of max_position_embeddings after it");
  return 0;
}

/// The features of a text with tokens of type 0.
static constexpr llvm::StringLiteral trainedFeatures = "encoder.features(tokens, length)";

/// Adds the body, and the entry point `features`.
static void addBody(Config &config, BertText &text, const BertVariant &variant) {
  FieldText &encoder = text.model.addField("encoder", "bert.Encoder", text.prefix);
  Arguments &arguments = encoder.arguments;
  int64_t positions = config.size("max_position_embeddings", 512), types = config.size("type_vocab_size", 2);
  int64_t first = variant.isRoberta ? readFirst(config, positions) : 0;
  arguments.add("vocab", text.vocab);
  arguments.add("context", positions - first);
  text.layers.addSizes(arguments);
  arguments.add("types", types);
  if (first != 0)
    arguments.add("first", first);
  text.addForm(arguments);
  text.tokens = fmt::format("tokens: i32[batch, seq <= {}]", positions - first);
  text.inputs =
      fmt::format("{}, {}length: i32[batch]", text.tokens, types > 1 ? "token_type_ids: i32[batch, seq], " : "");
  text.features = types > 1 ? "encoder.features(tokens, length, token_type_ids)" : "encoder.features(tokens, length)";
  addTextFeatures(text.model, text.inputs, text.layers.dim, text.features);
}

/// Adds the entry point `pooled`, and the field `pooler`.
static void addPooled(BertText &text) {
  addPooler(text.model, text.prefix, text.layers.dim);
  text.addEntry("pooled", std::to_string(text.layers.dim), fmt::format("pooler({})", text.features),
                "The summary of a text: a layer on the features of its first token.");
}

/// Adds the entry point `logits` of a masked language model.
static void addMaskedHead(Config &config, const Source &source, BertText &text, bool isRoberta) {
  config.expectOnly("tie_word_embeddings", true);
  FieldText &head = isRoberta ? text.model.addField("head", "bert.RobertaHead", "lm_head", FieldRole::Part)
                              : text.model.addField("head", "bert.MaskedHead", "cls.predictions", FieldRole::Part);
  head.arguments.add("dim", text.layers.dim);
  head.arguments.add("vocab", text.vocab);
  if (isRoberta)
    head.arguments.add("epsilon", text.layers.epsilon);
  else
    text.addForm(head.arguments);
  auto logitsOf = [](llvm::StringRef features) { return fmt::format("head({}, encoder.token.table)", features.str()); };
  addMaskedLogits(text.model, text.inputs, text.vocab, logitsOf(text.features));
  setMaskedLoss(text.model, source, {text.tokens, logitsOf(trainedFeatures), text.vocab});
}

/// Adds the entry point `logits` of a classifier of whole texts, or of each token.
static void addClassifier(Config &config, BertText &text, bool isOfTokens, bool isRoberta) {
  int64_t labels = readLabels(config);
  bool isDeep = isRoberta && !isOfTokens;
  FieldText &classifier =
      text.model.addField("classifier", isDeep ? "bert.RobertaClassifier" : "nn.Linear", "classifier", FieldRole::Head);
  if (!isDeep)
    text.model.use("nn");
  classifier.arguments.add(isDeep ? "dim" : "inputs", text.layers.dim);
  classifier.arguments.add(isDeep ? "labels" : "outputs", labels);
  auto logitsOf = [&](llvm::StringRef features) {
    return isOfTokens || isRoberta ? fmt::format("classifier({})", features.str())
                                   : fmt::format("classifier(pooler({}))", features.str());
  };
  text.addEntry("logits", fmt::format("{}{}", isOfTokens ? "seq, " : "", labels), logitsOf(text.features),
                isOfTokens ? "The logits of the class of each token." : "The logits of the class of each text.");
  if (isOfTokens)
    setLabelsLoss(text.model, text.tokens, logitsOf(trainedFeatures));
  else
    setClassLoss(text.model, text.tokens, logitsOf("encoder.features(tokens, losses.text_lengths(tokens))"));
}

static ModelText importBertForm(Config &config, const Source &source, const BertVariant &variant) {
  static constexpr llvm::StringRef architectures[] = {"Model", "ForMaskedLM", "ForSequenceClassification",
                                                      "ForTokenClassification", "ForPreTraining"};
  std::string architecture =
      readArchitecture(config, variant.model, llvm::ArrayRef(architectures).drop_back(variant.isRoberta ? 1 : 0));
  config.expectOnly("position_embedding_type", "absolute");
  expectEncoder(config);
  config.ignore({"directionality", "pooler_fc_size", "pooler_num_attention_heads", "pooler_num_fc_layers",
                 "pooler_size_per_head", "pooler_type"});
  BertText text{.model = {.model = variant.model.str(), .files = {"models.bert"}},
                .layers = EncoderLayers(config, {12, 768, 3072, 12, "gelu", 1e-12}),
                .vocab = config.size("vocab_size", 30522)};
  bool isBody = architecture == "Model", isOfTexts = architecture == "ForSequenceClassification";
  bool hasPrefix = source.hasTensor((variant.prefix + ".embeddings.word_embeddings.weight").str(), !isBody);
  text.prefix = hasPrefix ? variant.prefix : "";
  bool isOld = source.hasTensor(joined(text.prefix, "embeddings.LayerNorm.gamma"), false);
  text.norm = isOld ? "bert.OldNorm" : "nn.LayerNorm";
  addBody(config, text, variant);
  bool needsPooler = isOfTexts && !variant.isRoberta;
  if (source.hasTensor(joined(text.prefix, "pooler.dense.weight"), isBody) || needsPooler)
    addPooled(text);
  if (isOfTexts || architecture == "ForTokenClassification")
    addClassifier(config, text, !isOfTexts, variant.isRoberta);
  else if (!isBody)
    addMaskedHead(config, source, text, variant.isRoberta);
  return text.model;
}

ModelText importBert(Config &config, const Source &source) {
  return importBertForm(config, source, {.model = "Bert", .prefix = "bert"});
}

ModelText importRoberta(Config &config, const Source &source) {
  return importBertForm(config, source, {.model = "Roberta", .prefix = "roberta", .isRoberta = true});
}

ModelText importXlmRoberta(Config &config, const Source &source) {
  return importBertForm(config, source, {.model = "XLMRoberta", .prefix = "roberta", .isRoberta = true});
}

} // namespace attnc
