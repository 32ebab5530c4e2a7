//===- TokenStream.h - decoding of one token after another --------------------------------------------------------===//
//
// Decoders may look at the tokens before a token: the first token of a text loses its leading space. So the stream
// decodes the tokens of the last two texts that it returned together with the new tokens, and returns what is new. A
// text that ends in U+FFFD may be the start of a character, and waits for more tokens.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/tokenizer/Tokenizer.h"

namespace attnc::tokenizer {

class TokenStream {
public:
  /// A stream of tokens of `tokenizer`, which must outlive it; with special tokens in the text if `withSpecial`.
  TokenStream(const Tokenizer &tokenizer, bool withSpecial) : tokenizer(tokenizer), withSpecial(withSpecial) {}

  /// The text that is complete with this token; it may be empty.
  std::string add(int32_t id);
  /// The text of the tokens that wait. The next token begins a new text.
  std::string finish();

private:
  std::string newText(const std::string &text) const;

  const Tokenizer &tokenizer;
  bool withSpecial;
  std::vector<int32_t> ids; ///< the first `known` tokens have the text `prefix`, which was returned
  size_t known = 0;
  std::string prefix;
};

} // namespace attnc::tokenizer
