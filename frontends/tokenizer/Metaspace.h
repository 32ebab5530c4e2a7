//===- Metaspace.h - the settings of the pre-tokenizer and the decoder Metaspace ----------------------------------===//
#pragma once

#include "frontends/tokenizer/JsonEntry.h"

namespace attnc::tokenizer {

enum class PrependScheme { Always, First, Never };

struct MetaspaceSettings {
  std::string replacement; ///< of a space: one character
  PrependScheme scheme = PrependScheme::Always;
  bool isSplit = true;
};

MetaspaceSettings readMetaspaceSettings(const JsonEntry &entry);

} // namespace attnc::tokenizer
