//===- ModelText.h - text of a model file that uses a family of the prelude ---------------------------------------===//
//
// The text of a model whose networks are modules of the prelude:
//
//   use models.bert
//
//   model Bert {
//     encoder: bert.Encoder(
//       vocab: 30522,
//       ...
//       heads: 12) as "bert"
//
//     /// The features of each position after the last layer.
//     fn features(tokens: i32[batch, seq <= 512], length: i32[batch]) -> f32[batch, seq, 768] {
//       encoder.features(tokens, length)
//     }
//   }
//
//   export features
//
// With addTraining(), a function `loss` and a training step follow. With addAdapters(), fields are frozen, and adapters
// are put around some of their layers.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/checkpoint/FineTuning.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attnc {

/// The values of hyperparameters, in the order of the text.
struct Arguments {
  std::vector<std::pair<std::string, std::string>> values = {};

  void add(llvm::StringRef name, int64_t value);
  void add(llvm::StringRef name, double value);
  void add(llvm::StringRef name, llvm::StringRef expression);
  /// Adds `name: true` if `value` is true; the default of the module is false.
  void addFlag(llvm::StringRef name, bool value);
};

/// The role of a field when adapters are put around layers of the network.
enum class FieldRole {
  Network, ///< its layers get adapters, and training leaves the rest as it is
  Part,    ///< training leaves it as it is
  Head     ///< training changes it
};

/// A field of a model: `name: module(arguments) as "tensors"`.
struct FieldText {
  std::string name;
  std::string module; ///< "bert.Encoder"
  Arguments arguments = {};
  std::string tensors = ""; ///< prefix of the names of its tensors
  FieldRole role = FieldRole::Network;
  bool isFrozen = false;
  std::string rules = ""; ///< after the names of tensors: ` with adapters.LoRA(rank, alpha) at "q_proj"`
};

/// A function of a model.
struct FunctionText {
  std::string comment;
  std::string name;
  std::string inputs; ///< "tokens: i32[batch, seq <= 512], length: i32[batch]"
  std::string result; ///< "f32[batch, seq, 768]"
  std::string body;   ///< lines, without their indent
};

/// The function `loss` of a model.
struct LossText {
  std::string comment;                           ///< what it is: "mean cross-entropy of the classes"
  std::string inputs;                            ///< as FunctionText::inputs
  std::string body;                              ///< as FunctionText::body; uses nn and models/losses.attn
  std::vector<std::string> hyperparameters = {}; ///< of the loss alone: "mask = 103"
  std::vector<std::string> notes = {};           ///< as ModelText::notes
};

struct ModelText {
  std::string model = "";                        ///< name of the model: "Bert"
  std::vector<std::string> files = {};           ///< files that the model uses, of the prelude: "models.bert"
  std::vector<std::string> hyperparameters = {}; ///< "rate = 1e-5"
  std::vector<std::string> constants = {};       ///< "context = if long then 131072 else 4096"
  std::vector<FieldText> fields = {};
  std::vector<FunctionText> functions = {};
  std::vector<std::string> exports = {}; ///< "next = incremental(last, along: seq)"
  std::vector<std::string> notes = {};   ///< lines of comments below the first line
  std::optional<LossText> loss = {};     ///< for fine-tuning; null if the model has no loss

  void use(llvm::StringRef file); ///< adds a file unless the model uses it already
  FieldText &addField(llvm::StringRef name, llvm::StringRef module, llvm::StringRef tensors,
                      FieldRole role = FieldRole::Network);
  /// Adds a function, and exports it.
  void addEntry(FunctionText function);
  /// Adds the loss, which must not be null, and a training step `train` that minimises it. The learning rate, which is
  /// `rate` by default, and the number of steps in which it rises are hyperparameters of the model.
  void addTraining(llvm::StringRef rate);
  /// Puts adapters around layers of the network. Their rank and scale are hyperparameters of the model, and also their
  /// dropout if the model `trains`.
  void addAdapters(const Adapters &adapters, bool trains);
  /// The content of the model file. `origin` names what it is made from, in its first line.
  std::string text(llvm::StringRef origin) const;
};

/// The input of an encoder to whose features a decoder attends.
struct SourceText {
  std::string inputs;           ///< of an entry point: "source: i32[batch, n], source_length: i32[batch]"
  std::string arguments;        ///< of a call: "source, source_length"
  std::string features;         ///< type of the features: "f32[batch, n, 512]"
  std::string comment;          ///< of the entry point `features`
  std::string trainedInputs;    ///< of the loss, in which padding tells the lengths: "source: i32[batch, n]"
  std::string trainedArguments; ///< the arguments of a call by the inputs of the loss
};

/// A decoder of text. The module `Decoder` has the functions features(tokens) and logits_of(features). With a source,
/// the module is `EncoderDecoder`, with the functions features(source ..), decoded(tokens, source ..) and logits_of.
struct DecoderText {
  std::string model;                  ///< name of the model: "Llama"
  std::string file;                   ///< file of the prelude with the module: "models.llama"
  std::vector<std::string> uses = {}; ///< files of the prelude with functions of the arguments: "models.rotary"
  std::string tensors = "";           ///< prefix of the names of its tensors
  Arguments arguments = {};
  std::optional<SourceText> source = {};
  std::optional<int64_t> start = {}; ///< the token before a text that is written for a source
  int64_t vocab = 1, context = 1;    ///< number of tokens, and the largest one of positions; 0: any number of positions
  int64_t longContext = 0;           ///< positions with the hyperparameter `long`; 0: the model does not have it
  std::vector<int64_t> ends = {};    ///< the tokens that end a text; `write` stops at the first one alone
  std::vector<std::string> notes = {}; ///< ModelText::notes

  template <typename Value> void add(llvm::StringRef name, const Value &value) { arguments.add(name, value); }
  void addFlag(llvm::StringRef name, bool value) { arguments.addFlag(name, value); }

  ModelText asModel() const;
};

/// A number as the language writes it: "500000.0", "1e-05".
std::string realText(double value);

} // namespace attnc
