//===- Normalizer.h - rewriting of text before it is split --------------------------------------------------------===//
#pragma once

#include "frontends/tokenizer/JsonEntry.h"
#include "frontends/tokenizer/Regex.h"
#include <memory>

namespace attnc::tokenizer {

class Normalizer {
public:
  virtual ~Normalizer() = default;
  /// Reads the entry `normalizer`; null for null.
  static std::unique_ptr<Normalizer> read(const JsonEntry &entry);

  /// Rewrites a text, which is valid UTF-8.
  virtual void normalize(std::string &text, MatchMemory &memory) const = 0;
};

/// Largest depth of a Sequence in a Sequence.
inline constexpr int deepestSequence = 16;

/// The expression of an entry {"String": text} or {"Regex": pattern}.
Regex readPattern(const JsonEntry &entry);

/// BertNormalizer: `clean_text` removes control characters and replaces white space by spaces; `handle_chinese_chars`
/// surrounds ideographs with spaces; `strip_accents` decomposes characters and removes nonspacing marks; `lowercase`.
std::unique_ptr<Normalizer> readBertNormalizer(const JsonEntry &entry);

} // namespace attnc::tokenizer
