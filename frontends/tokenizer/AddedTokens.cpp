#include "frontends/tokenizer/AddedTokens.h"
#include "frontends/tokenizer/UnicodeClasses.h"
#include "frontends/tokenizer/Utf8.h"

#include <algorithm>

namespace attnc::tokenizer {

AddedTokens::AddedTokens(const JsonEntry &list, const TokenTable &vocabulary, const Normalizer *normalizer) {
  MatchMemory memory;
  int32_t next = vocabulary.count();
  for (const JsonEntry &entry : list.isNull() ? std::vector<JsonEntry>() : list.elements()) {
    const std::string &content = entry["content"].text();
    if (content.empty())
      continue;
    int32_t found = entry["id"].id(), expected = id(content);
    if (expected == TokenTable::none)
      expected = vocabulary.id(content);
    bool isNew = expected == TokenTable::none;
    if (isNew)
      expected = next++;
    if (found != expected)
      entry["id"].fail(
          std::to_string(expected) +
          (isNew ? ", the next id after the vocabulary, for " : ", the id of this token in the vocabulary, for ") +
          shown(content));
    Token token = {content,
                   content,
                   entry["special"].flagOr(false),
                   entry["single_word"].flagOr(false),
                   entry["lstrip"].flagOr(false),
                   entry["rstrip"].flagOr(false),
                   entry["normalized"].flagOr(true)};
    if (token.isNormalized && normalizer)
      normalizer->normalize(token.normalisedText, memory);
    ids[content] = expected;
    tokens[expected] = std::move(token);
  }
  buildSearch(false);
  buildSearch(true);
}

void AddedTokens::buildSearch(bool isNormalized) {
  Search &search = searches[isNormalized];
  Trie::Entries entries;
  for (const auto &[id, token] : tokens) {
    const std::string &text = isNormalized ? token.normalisedText : token.text;
    if (token.isNormalized != isNormalized || text.empty())
      continue;
    entries.emplace_back(text, id);
    search.isFirst[uint8_t(text[0])] = true;
    search.isEmpty = false;
  }
  search.trie = Trie(std::move(entries));
}

/// The longest token that starts at a place of a text.
std::optional<AddedTokens::Part> AddedTokens::longestAt(const Search &search, std::string_view text,
                                                        size_t begin) const {
  std::optional<Part> longest;
  int32_t node = Trie::root;
  for (size_t at = begin; at < text.size(); ++at) {
    node = search.trie.child(node, text[at]);
    if (node == Trie::none)
      break;
    if (int32_t id = search.trie.value(node); id != Trie::none)
      longest = Part{{begin, at + 1}, id};
  }
  return longest;
}

static bool hasWordBefore(std::string_view text, size_t at) {
  return at > 0 && isWordCharacter(characterBefore(text, at).codePoint);
}

static bool hasWordAfter(std::string_view text, size_t at) {
  return at < text.size() && isWordCharacter(characterAt(text, at).codePoint);
}

static size_t withoutSpaceBefore(std::string_view text, size_t at) {
  while (at > 0 && isWhitespace(characterBefore(text, at).codePoint))
    at -= characterBefore(text, at).bytes;
  return at;
}

static size_t withoutSpaceAfter(std::string_view text, size_t at) {
  while (at < text.size() && isWhitespace(characterAt(text, at).codePoint))
    at += characterBytes(text[at]);
  return at;
}

void AddedTokens::split(std::string_view text, bool isNormalized, std::vector<Part> &parts) const {
  const Search &search = searches[isNormalized];
  parts.clear();
  size_t done = 0; // the end of the last part
  for (size_t at = 0; !search.isEmpty && at < text.size();) {
    auto match = search.isFirst[uint8_t(text[at])] ? longestAt(search, text, at) : std::nullopt;
    if (!match) {
      ++at;
      continue;
    }
    at = match->range.end;
    const Token &token = tokens.at(match->id);
    if (token.isWord && (hasWordBefore(text, match->range.begin) || hasWordAfter(text, match->range.end)))
      continue;
    if (token.stripsLeft)
      match->range.begin = std::max(withoutSpaceBefore(text, match->range.begin), done);
    if (token.stripsRight)
      match->range.end = withoutSpaceAfter(text, match->range.end);
    if (done < match->range.begin)
      parts.push_back({{done, match->range.begin}, TokenTable::none});
    parts.push_back(*match);
    done = match->range.end;
  }
  if (done < text.size())
    parts.push_back({{done, text.size()}, TokenTable::none});
}

int32_t AddedTokens::id(std::string_view text) const {
  auto found = ids.find(text);
  return found == ids.end() ? TokenTable::none : found->second;
}

const std::string *AddedTokens::text(int32_t id) const {
  auto found = tokens.find(id);
  return found == tokens.end() ? nullptr : &found->second.text;
}

const std::string *AddedTokens::decoded(int32_t id) const {
  auto found = tokens.find(id);
  return found == tokens.end() ? nullptr : &found->second.normalisedText;
}

bool AddedTokens::isSpecial(int32_t id) const {
  auto found = tokens.find(id);
  return found != tokens.end() && found->second.isSpecial;
}

} // namespace attnc::tokenizer
