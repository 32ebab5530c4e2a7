//===- Metaspace.h - the settings of the pre-tokenizer and the decoder Metaspace ----------------------------------===//
#pragma once

#include "frontends/tokenizer/JsonEntry.h"

namespace attnc::tokenizer {

/// U+2581, which stands for a space in the tokens of SentencePiece.
inline constexpr std::string_view metaspace = "\xE2\x96\x81";

enum class PrependScheme { Always, First, Never };

struct MetaspaceSettings {
  std::string replacement; ///< of a space: one character
  PrependScheme scheme = PrependScheme::Always;
  bool isSplit = true;
};

MetaspaceSettings readMetaspaceSettings(const JsonEntry &entry);

} // namespace attnc::tokenizer
