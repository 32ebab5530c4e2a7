//===- PrecompiledMap.h - the normaliser that SentencePiece compiles into a model ---------------------------------===//
//
// The map `precompiled_charsmap` has the number of bytes of a double array, as 4 bytes in little-endian order, the
// double array (Darts), and a list of texts that end in a zero. The double array maps a sequence of bytes to the place
// of its replacement in the list. As in the Rust library, the text is split into grapheme clusters. A cluster of less
// than 6 bytes is replaced if a prefix of it has a replacement, namely that of its shortest prefix; otherwise each
// character of the cluster is replaced in this way.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/tokenizer/Normalizer.h"
#include <array>

namespace attnc::tokenizer {

class PrecompiledMap : public Normalizer {
public:
  /// Reads the map from the entry, which has it in base 64. Throws a FileError if it is damaged.
  explicit PrecompiledMap(const JsonEntry &entry);
  void normalize(std::string &text, MatchMemory &memory) const override;

private:
  std::optional<std::string_view> replacementOf(std::string_view part) const;
  void appendCluster(std::string &result, std::string_view cluster) const;
  void appendCharacters(std::string &result, std::string_view cluster) const;

  std::vector<uint32_t> units; ///< of the double array
  std::string replacements;
  std::array<bool, 0x80> isChanged; ///< characters of ASCII that have a replacement
};

} // namespace attnc::tokenizer
