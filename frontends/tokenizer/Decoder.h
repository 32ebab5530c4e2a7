//===- Decoder.h - from tokens to text ----------------------------------------------------------------------------===//
#pragma once

#include "frontends/tokenizer/Regex.h"
#include <vector>

namespace attnc::tokenizer {

class JsonEntry;

class Decoder {
public:
  virtual ~Decoder() = default;
  /// Reads the entry `decoder`; null for null: the text is then the tokens with spaces between them.
  static std::unique_ptr<Decoder> read(const JsonEntry &entry);

  /// Rewrites the list of tokens. The tokens of the last decoder, one after the other, are the text.
  virtual void decode(std::vector<std::string> &tokens, MatchMemory &memory) const = 0;
};

} // namespace attnc::tokenizer
