//===- AddedTokens.h - tokens that are cut out of a text before it is split ---------------------------------------===//
//
// Added tokens are found from left to right, the longest at each place, by a trie. A token with `normalized: false`,
// such as "<s>", is cut out of the original text. Other tokens are cut out of the normalised text, in which their own
// normalised form is searched. A token with `single_word` is ignored beside word characters; `lstrip` and `rstrip`
// extend a token over the white space around it.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/tokenizer/Normalizer.h"
#include "frontends/tokenizer/TokenTable.h"
#include "frontends/tokenizer/Trie.h"
#include <array>
#include <map>

namespace attnc::tokenizer {

class AddedTokens {
public:
  /// A part of a text: an added token, or a text between them, whose `id` is TokenTable::none.
  struct Part {
    Range range;
    int32_t id;
  };

  /// Reads the entry `added_tokens`. A token that is in the vocabulary of the model has its id; other tokens have the
  /// next ids after the vocabulary. Throws a FileError if an entry has another id. `normalizer` may be null.
  AddedTokens(const JsonEntry &list, const TokenTable &vocabulary, const Normalizer *normalizer);

  /// Replaces `parts` by the parts of a text before it is normalised, or of a normalised text.
  void split(std::string_view text, bool isNormalized, std::vector<Part> &parts) const;
  /// Whether split() finds anything in normalised texts.
  bool hasNormalized() const { return !searches[1].isEmpty; }

  int32_t id(std::string_view text) const;
  int32_t size() const { return tokens.empty() ? 0 : tokens.rbegin()->first + 1; } ///< largest id plus one
  const std::string *text(int32_t id) const;    ///< as the file has it; null if the id is not an added token
  const std::string *decoded(int32_t id) const; ///< as decoders receive it: normalised
  bool isSpecial(int32_t id) const;

private:
  struct Token {
    std::string text, normalisedText;
    bool isSpecial, isWord, stripsLeft, stripsRight, isNormalized;
  };
  struct Search {
    Trie trie;
    std::array<bool, 256> isFirst = {}; ///< bytes with which a token begins
    bool isEmpty = true;
  };
  void buildSearch(bool isNormalized);
  std::optional<Part> longestAt(const Search &search, std::string_view text, size_t begin) const;

  std::map<int32_t, Token> tokens;
  std::map<std::string, int32_t, std::less<>> ids;
  std::array<Search, 2> searches; ///< of original and of normalised texts
};

} // namespace attnc::tokenizer
