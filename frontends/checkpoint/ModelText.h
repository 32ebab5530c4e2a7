//===- ModelText.h - text of a model file that uses a family of the prelude ---------------------------------------===//
//
// The text of a model whose network is a module of the prelude:
//
//   model Llama {
//     decoder: llama.Decoder(
//       vocab: 128256,
//       ...
//       tied: true) as ""
//
//     fn logits(tokens: i32[batch, seq <= 131072]) -> f32[batch, seq, 128256] { ... }
//   }
//   export logits
//   ...
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace attnc {

/// A decoder of text. The module has the functions features(tokens) and logits_of(features).
struct DecoderText {
  std::string model;       ///< name of the model: "Llama"
  std::string file;        ///< file of the prelude with the module `Decoder`: "models.llama"
  bool usesRotary = false; ///< an argument has a function of models/rotary.attn
  /// Hyperparameters and their values, in the order of the text.
  std::vector<std::pair<std::string, std::string>> arguments = {};
  int64_t vocab = 1, context = 1;   ///< number of tokens, and of positions
  std::optional<int64_t> stop = {}; ///< the token that ends a text

  void add(llvm::StringRef name, int64_t value);
  void add(llvm::StringRef name, double value);
  void add(llvm::StringRef name, llvm::StringRef expression);
  /// Adds `name: true` if `value` is true; the default of the module is false.
  void addFlag(llvm::StringRef name, bool value);

  /// The content of the model file. `origin` names what it is made from, in its first line.
  std::string text(llvm::StringRef origin) const;
};

/// A number as the language writes it: "500000.0", "1e-05".
std::string realText(double value);

} // namespace attnc
