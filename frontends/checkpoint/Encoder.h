//===- Encoder.h - keys of config.json that encoders share --------------------------------------------------------===//
#pragma once

#include "frontends/checkpoint/Activation.h"
#include "frontends/checkpoint/Architecture.h"
#include "frontends/checkpoint/Config.h"
#include "frontends/checkpoint/ModelText.h"
#include "frontends/checkpoint/Source.h"

namespace attnc {

/// The name of a tensor or a module below a prefix, which may be empty.
std::string joined(llvm::StringRef prefix, llvm::StringRef name);

/// Records a problem if the network is a decoder, or lacks some of its heads.
void expectEncoder(Config &config);

/// Adds the argument `activation` unless it has its default. `model` gets the file of the activation.
void addActivation(ModelText &model, Arguments &arguments, const Activation &activation);

/// The values of missing keys.
struct EncoderDefaults {
  int64_t layers, dim, hidden, heads;
  llvm::StringLiteral activation; ///< its name in config.json
  double epsilon;
  llvm::StringLiteral activationKey = "hidden_act", epsilonKey = "layer_norm_eps";
};

/// The hyperparameters of an encoder's layers.
struct EncoderLayers {
  int64_t layers, dim, hidden, heads;
  Activation activation;
  double epsilon; ///< of norms

  EncoderLayers(Config &config, const EncoderDefaults &defaults);
  void addSizes(Arguments &arguments) const; ///< layers, dim, hidden and heads
  /// Adds activation and epsilon. `model` gets the file of the activation.
  void addForm(ModelText &model, Arguments &arguments) const;
};

/// Adds the entry point `features` of an encoder of texts. `body` is an expression.
void addTextFeatures(ModelText &model, llvm::StringRef inputs, int64_t dim, llvm::StringRef body);
/// Adds the entry point `logits` of a masked language model.
void addMaskedLogits(ModelText &model, llvm::StringRef inputs, int64_t vocab, llvm::StringRef body);

/// Sets the loss of a classifier of whole texts or images. `inputs` are those of the loss besides `label`, and `logits`
/// is an expression of them.
void setClassLoss(ModelText &model, llvm::StringRef inputs, llvm::StringRef logits);

/// A masked language model, as its loss needs it.
struct MaskedText {
  std::string tokens; ///< the input of texts: "tokens: i32[batch, seq <= 512]"
  std::string logits; ///< an expression of `tokens` and `length`
  int64_t vocab;
};

/// Sets the loss of a masked language model. The token that hides others is that of the tokenizer in the folder;
/// without it, the hyperparameter `mask` has no default.
void setMaskedLoss(ModelText &model, const Source &source, const MaskedText &text);

/// Sets the loss of a classifier of each token. `logits` is an expression of `tokens` and `length`.
void setLabelsLoss(ModelText &model, llvm::StringRef tokens, llvm::StringRef logits);

/// Adds the field `pooler`.
void addPooler(ModelText &model, llvm::StringRef prefix, int64_t dim);

/// The number of classes of a classifier.
int64_t readLabels(Config &config);

/// The images that an encoder reads. Images and patches are squares.
struct Images {
  int64_t size, patch, channels; ///< widths in pixels

  Images(Config &config, int64_t defaultPatch);
  void addTo(Arguments &arguments) const;
  int64_t patches() const { return (size / patch) * (size / patch); }
  /// The input of an entry point, with a name for the number of images: "pixel_values: f32[batch, 3, 224, 224]".
  std::string input(llvm::StringRef count) const;
};

} // namespace attnc
