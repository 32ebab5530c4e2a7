//===- TextForm.h - the tokens of texts, and texts that are printed token by token --------------------------------===//
#pragma once

#include "tools/attnc/Tensors/Vocabulary.h"

namespace attnc {

/// The form of a text that stands for tokens.
struct TextForm {
  bool areNumbers = false;                ///< "15496,11,995"
  const Vocabulary *vocabulary = nullptr; ///< of words or of a tokenizer; null for bytes

  /// The form of `text`, which is a list of numbers if it has only digits and commas.
  static TextForm of(llvm::StringRef text, const Vocabulary *vocabulary);
  const TokenizerFile *tokenizer() const { return areNumbers || !vocabulary ? nullptr : vocabulary->tokenizerFile(); }
};

/// A function of Vocabulary that encodes a text.
using Encoding = llvm::Expected<std::vector<int32_t>> (Vocabulary::*)(llvm::StringRef) const;

/// The tokens of a text: numbers, words of the vocabulary, or bytes. `what` names it in messages. An error if a number
/// is too large, or if there is no token.
llvm::Expected<std::vector<int32_t>> tokensOf(llvm::StringRef text, const llvm::Twine &what, TextForm form,
                                              Encoding encoding);
/// The tokens that end a text: those of the tokenizer, and the one that `text` is: the number of a token, or a text of
/// one token. No further one if `text` is empty.
llvm::Expected<std::vector<int32_t>> stopTokens(llvm::StringRef text, const Vocabulary *vocabulary);

/// Prints tokens to standard output as numbers, bytes, words with a space between two of them, or the characters of a
/// tokenizer. The bytes of a character wait until it is complete.
class Printer {
public:
  explicit Printer(TextForm form) : form(form) {
    if (form.tokenizer())
      stream = form.tokenizer()->stream();
  }
  void print(llvm::ArrayRef<int32_t> tokens);
  /// Prints the bytes of a character that is incomplete, and a line break. A tokenizer's are printed as U+FFFD.
  void finish();

private:
  void print(int32_t token);
  void printByte(char byte);

  TextForm form;
  bool isLineStart = true;
  std::string waiting;                                              ///< bytes of an incomplete character
  std::unique_ptr<attn_token_stream, TokenizerFile::Closer> stream; ///< null without a tokenizer
};

} // namespace attnc
