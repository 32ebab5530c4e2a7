#include "frontends/tokenizer/Unigram.h"
#include "frontends/tokenizer/Errors.h"
#include "frontends/tokenizer/Utf8.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

using nlohmann::json;

namespace attnc::tokenizer {

static constexpr double unknownPenalty = 10;

static TokenTable readPieces(const JsonEntry &vocabulary) {
  if (!vocabulary.isArray())
    vocabulary.fail("an array");
  if (vocabulary.json().size() > size_t(largestId) + 1)
    vocabulary.fail("at most " + std::to_string(largestId + 1) + " tokens");
  TokenTable table;
  for (const json &entry : vocabulary.json()) {
    int32_t id = table.size();
    if (!entry.is_array() || entry.size() != 2)
      vocabulary[size_t(id)].fail("a pair [token, score]");
    table.add(entry[0].is_string() ? entry[0].get<std::string>() : vocabulary[size_t(id)][0].text(), id);
  }
  return table;
}

std::vector<int32_t> byteTokensOf(const TokenTable &table) {
  std::vector<int32_t> tokens;
  static const char digits[] = "0123456789ABCDEF";
  for (int byte = 0; byte < 256; ++byte)
    tokens.push_back(table.id(std::string("<0x") + digits[byte >> 4] + digits[byte & 15] + ">"));
  return tokens;
}

Unigram::Unigram(const JsonEntry &model) : Model(readPieces(model["vocab"])) {
  double least = std::numeric_limits<double>::infinity();
  const JsonEntry vocabulary = model["vocab"];
  for (const json &entry : vocabulary.json()) {
    scores.push_back(entry[1].is_number() ? entry[1].get<double>() : vocabulary[scores.size()][1].number());
    if (!std::isfinite(scores.back()))
      vocabulary[scores.size() - 1][1].fail("a finite number");
    least = std::min(least, scores.back());
  }
  unknownScore = least - unknownPenalty;
  if (!model["unk_id"].isNull())
    unknown = int32_t(model["unk_id"].integer(0, std::max(table.size() - 1, 0)));
  if (unknown >= table.size())
    model["unk_id"].fail("an id of the vocabulary, which is empty");
  if (model["byte_fallback"].flagOr(false))
    byteTokens = byteTokensOf(table);
  Trie::Entries entries;
  for (int32_t id = 0; id < table.size(); ++id)
    if (!table.text(id).empty())
      entries.emplace_back(table.text(id), id);
  trie = Trie(std::move(entries));
}

/// Computes the best path to each byte. A later path replaces an earlier one only if its score is larger.
void Unigram::findPaths(std::string_view piece, std::vector<ModelMemory::Path> &paths) const {
  paths.assign(piece.size() + 1, {0, 0, Trie::none});
  auto extend = [&](size_t begin, size_t end, double score, int32_t id) {
    ModelMemory::Path &path = paths[end];
    if (path.id == Trie::none || score > path.score)
      path = {score, begin, id};
  };
  for (size_t begin = 0; begin < piece.size();) {
    size_t character = characterBytes(piece[begin]);
    double score = paths[begin].score;
    bool isKnown = false;
    int32_t node = Trie::root;
    for (size_t end = begin; end < piece.size();) {
      node = trie.child(node, piece[end++]);
      if (node == Trie::none)
        break;
      int32_t id = trie.value(node);
      if (id == Trie::none)
        continue;
      extend(begin, end, scores[size_t(id)] + score, id);
      isKnown |= end - begin == character;
    }
    if (!isKnown) {
      if (unknown == TokenTable::none)
        throw TextError("a character of the text is not in the vocabulary, which has no unknown token");
      extend(begin, begin + character, unknownScore + score, unknown);
    }
    begin += character;
  }
}

void Unigram::appendUnknown(std::string_view part, std::vector<int32_t> &ids) const {
  int32_t id = table.id(part);
  bool hasBytes = !byteTokens.empty() &&
                  std::ranges::all_of(part, [&](char byte) { return byteTokens[uint8_t(byte)] != TokenTable::none; });
  if (id != TokenTable::none || !hasBytes) {
    ids.push_back(id != TokenTable::none ? id : unknown);
    return;
  }
  for (char byte : part)
    ids.push_back(byteTokens[uint8_t(byte)]);
}

void Unigram::encode(std::string_view piece, ModelMemory &memory, std::vector<int32_t> &ids) const {
  findPaths(piece, memory.paths);
  memory.best.clear();
  for (size_t end = piece.size(); end > 0; end = memory.paths[end].begin)
    memory.best.push_back({0, memory.paths[end].begin, memory.paths[end].id});
  for (size_t token = memory.best.size(); token-- > 0;) {
    ModelMemory::Path first = memory.best[token];
    if (first.id != unknown) {
      ids.push_back(first.id);
      continue;
    }
    while (token > 0 && memory.best[token - 1].id == unknown)
      --token;
    size_t end = token > 0 ? memory.best[token - 1].begin : piece.size();
    appendUnknown(piece.substr(first.begin, end - first.begin), ids);
  }
}

} // namespace attnc::tokenizer
