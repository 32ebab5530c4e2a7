//===- TokenizerFile.h - the tokenizer of a published model as a vocabulary ---------------------------------------===//
//
// A tokenizer.json (attn/tokenizer.h), with the tokens that end a text. They are entries of the files beside it:
//
//   tokenizer_config.json   "eos_token": "<|endoftext|>", or an object with this text as "content"
//   generation_config.json  "eos_token_id": 50256, or a list of ids
//   config.json             the same
//
// For tokenizer.NAME.json, the first file is tokenizer_config.NAME.json. The token that ends rows, and pads them, is
// the eos_token or else the first id of the lists.
//
// The chat template is the entry "chat_template" of tokenizer_config.json, or the file chat_template.jinja.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/tokenizer.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace attnc {

/// A message of a conversation: the role is system, user or assistant.
struct ChatMessage {
  const char *role;
  std::string text;
};

class TokenizerFile {
public:
  /// Opens a tokenizer.json. An error if it cannot be read or is not supported, or if no file beside it has a token
  /// that ends texts.
  static llvm::Expected<std::shared_ptr<const TokenizerFile>> open(const std::string &path);

  const std::string &text() const { return content; } ///< the content of the file
  std::string config() const;                         ///< of a tokenizer_config.json with the token that ends texts
  int64_t size() const { return attn_tokenizer_size(handle.get()); }
  int32_t end() const { return ends.front(); }             ///< the token that ends a row
  llvm::ArrayRef<int32_t> allEnds() const { return ends; } ///< tokens that end a generated text

  /// The tokens of a text; with the special tokens of a whole text if `isWhole`. An error if the text has a part
  /// without a token.
  llvm::Expected<std::vector<int32_t>> encode(llvm::StringRef text, bool isWhole) const;
  /// The family of the chat template (attn/tokenizer.h). An error if there is no template, or one of no known family.
  llvm::Expected<std::string> chatFamily() const;
  /// The tokens of a conversation up to the next answer. An error if a message has a part without a token.
  llvm::Expected<std::vector<int32_t>> encodeChat(const std::string &family,
                                                  llvm::ArrayRef<ChatMessage> messages) const;
  /// The text of the tokens, without special tokens.
  std::string decode(llvm::ArrayRef<int32_t> tokens) const;
  /// A token as it is written in the file; empty if there is no token with this number.
  llvm::StringRef token(int32_t number) const;

  struct Closer {
    void operator()(attn_tokenizer *tokenizer) const { attn_tokenizer_close(tokenizer); }
    void operator()(attn_token_stream *stream) const { attn_token_stream_close(stream); }
  };
  /// A stream that decodes tokens one by one, without special tokens.
  std::unique_ptr<attn_token_stream, Closer> stream() const;

private:
  TokenizerFile() = default;
  llvm::Error readEnds();
  /// The path of a file beside the tokenizer.
  std::string beside(llvm::StringRef name) const;

  std::string path;
  std::unique_ptr<attn_tokenizer, Closer> handle;
  std::string content;
  std::vector<int32_t> ends; ///< not empty
};

/// Whether the path ends in .json: the file of a vocabulary is then a tokenizer.
bool isTokenizerFile(llvm::StringRef path);
/// The name of the file with the settings of a tokenizer: "tokenizer_config.json" for "tokenizer.json".
std::string configName(llvm::StringRef tokenizer);

} // namespace attnc
