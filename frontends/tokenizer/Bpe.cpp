#include "frontends/tokenizer/Bpe.h"
#include "frontends/tokenizer/ByteAlphabet.h"
#include "frontends/tokenizer/Errors.h"
#include "frontends/tokenizer/Metaspace.h"
#include "frontends/tokenizer/Unigram.h"
#include "frontends/tokenizer/Utf8.h"

#include <algorithm>
#include <array>
#include <bit>
#include <nlohmann/json.hpp>

using nlohmann::json;

namespace attnc::tokenizer {

static constexpr size_t fewSymbols = 32; ///< pieces of at most this many symbols have no heap

//===- Merges -----------------------------------------------------------------------------------------------------===//

MergeTable::MergeTable(size_t count) {
  slots.resize(std::bit_ceil(2 * count + 2));
  shift = unsigned(64 - std::countr_zero(slots.size()));
}

size_t MergeTable::slotOf(uint64_t key) const {
  size_t slot = (key ^ key >> 29) * 0x9E3779B97F4A7C15 >> shift;
  while (slots[slot].key != key && slots[slot].key != UINT64_MAX)
    slot = (slot + 1) & (slots.size() - 1);
  return slot;
}

void MergeTable::set(int32_t left, int32_t right, Merge merge) {
  uint64_t key = keyOf(left, right);
  slots[slotOf(key)] = {key, merge};
}

/// The two tokens of a merge: "a b", or ["a", "b"] in newer files. Nothing for other values.
static std::optional<std::pair<std::string_view, std::string_view>> pairOf(const json &merge) {
  if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string())
    return std::pair(std::string_view(merge[0].get_ref<const std::string &>()),
                     std::string_view(merge[1].get_ref<const std::string &>()));
  std::string_view text = merge.is_string() ? std::string_view(merge.get_ref<const std::string &>()) : "";
  size_t space = text.find(' ');
  if (space == text.npos || text.find(' ', space + 1) != text.npos)
    return std::nullopt;
  return std::pair(text.substr(0, space), text.substr(space + 1));
}

void Bpe::readMerges(const JsonEntry &list) {
  if (!list.isArray())
    list.fail("an array");
  merges = MergeTable(list.json().size());
  uint32_t rank = 0;
  std::string merged;
  for (size_t index = 0; index < list.json().size(); ++index) {
    const json &element = list.json()[index];
    if (element.is_string() && element.get_ref<const std::string &>().starts_with("#version"))
      continue;
    auto pair = pairOf(element);
    if (!pair)
      list[index].fail("two tokens, as \"a b\" or [\"a\", \"b\"]");
    auto [left, right] = *pair;
    if (right.size() < prefix.size())
      list[index].fail("a second token that begins with model.continuing_subword_prefix");
    merged.assign(left).append(right.substr(prefix.size()));
    std::array<int32_t, 3> ids;
    for (size_t i = 0; std::string_view text : {left, right, std::string_view(merged)}) {
      ids[i++] = table.id(text);
      if (ids[i - 1] == TokenTable::none)
        list[index].failWith("found the token " + shown(text) + ", which is not in model.vocab");
    }
    merges.set(ids[0], ids[1], {rank++, ids[2]});
    mergedIds.push_back(ids[2]);
  }
}

/// Whether a merge makes a token with U+2581 after another character.
bool Bpe::hasMergesAcrossSpaces() const {
  return std::ranges::any_of(mergedIds, [&](int32_t id) {
    std::string_view text = table.text(id);
    size_t start = 0;
    while (text.substr(start).starts_with(metaspace))
      start += metaspace.size();
    return text.find(metaspace, start) != text.npos;
  });
}

Bpe::Bpe(const JsonEntry &model)
    : Model(TokenTable(model["vocab"])), unknown(model["unk_token"].textOr("")),
      prefix(model["continuing_subword_prefix"].textOr("")), suffix(model["end_of_word_suffix"].textOr("")),
      hasUnknown(!model["unk_token"].isNull()), isUnknownFused(model["fuse_unk"].flagOr(false)),
      ignoresMerges(model["ignore_merges"].flagOr(false)) {
  if (!model["dropout"].isNull() && model["dropout"].number() != 0)
    model["dropout"].fail("0 or null: dropout makes ids random");
  if (model["byte_fallback"].flagOr(false))
    byteTokens = byteTokensOf(table);
  readMerges(model["merges"]);
  isSplitAtSpaces = prefix.empty() && suffix.empty() && !ignoresMerges && table.id(metaspace) != TokenTable::none &&
                    !hasMergesAcrossSpaces();
}

//===- Symbols ----------------------------------------------------------------------------------------------------===//

bool Bpe::useBytes() {
  if (!prefix.empty() || !suffix.empty() || !byteTokens.empty())
    return false;
  takesBytes = true;
  isSplitAtSpaces = false;
  for (int byte = 0; byte < 256; ++byte)
    byteSymbols.push_back(table.id(characterOfByte(uint8_t(byte))));
  for (int32_t id = 0; ignoresMerges && id < table.size(); ++id)
    if (auto bytes = table.has(id) ? bytesOfCharacters(table.text(id)) : std::nullopt)
      wholePieces.try_emplace(std::move(*bytes), id);
  return true;
}

int32_t Bpe::wholeId(std::string_view piece) const {
  if (!takesBytes)
    return table.id(piece);
  auto found = wholePieces.find(std::string(piece));
  return found == wholePieces.end() ? TokenTable::none : found->second;
}

/// The token of one character, or byte, of a piece; TokenTable::none if there is none.
int32_t Bpe::symbolOf(std::string_view piece, size_t begin, size_t end) const {
  if (takesBytes)
    return byteSymbols[uint8_t(piece[begin])];
  bool hasPrefix = begin > 0 && !prefix.empty(), hasSuffix = end == piece.size() && !suffix.empty();
  if (!hasPrefix && !hasSuffix)
    return table.id(piece.substr(begin, end - begin));
  std::string text(piece.substr(begin, end - begin));
  return table.id((hasPrefix ? prefix : "") + text + (hasSuffix ? suffix : ""));
}

/// Appends the tokens of the bytes of an unknown character; false if one has none.
bool Bpe::appendBytes(std::string_view text, std::vector<int32_t> &ids) const {
  auto hasToken = [&](char byte) { return byteTokens[uint8_t(byte)] != TokenTable::none; };
  if (byteTokens.empty() || !std::ranges::all_of(text, hasToken))
    return false;
  for (char byte : text)
    ids.push_back(byteTokens[uint8_t(byte)]);
  return true;
}

/// Appends the tokens of all characters. An unknown token is appended in front of the next known character, as the Rust
/// library does: it is behind tokens of bytes that follow it. Without an unknown token, unknown characters are left
/// out.
void Bpe::appendSymbols(std::string_view piece, std::vector<int32_t> &ids) const {
  bool isPending = false;
  auto flush = [&] {
    if (isPending)
      ids.push_back(unknownId(table, unknown));
    isPending = false;
  };
  for (size_t begin = 0, end; begin < piece.size(); begin = end) {
    end = begin + (takesBytes ? 1 : characterBytes(piece[begin]));
    int32_t id = symbolOf(piece, begin, end);
    if (id != TokenTable::none) {
      flush();
      ids.push_back(id);
      continue;
    }
    std::string text(piece.substr(begin, end - begin));
    if (!byteTokens.empty() && appendBytes((begin > 0 ? prefix : "") + text + (end == piece.size() ? suffix : ""), ids))
      continue;
    if (!isUnknownFused)
      flush();
    isPending = hasUnknown;
  }
  flush();
}

//===- Merging ----------------------------------------------------------------------------------------------------===//

void Bpe::mergeFew(std::vector<int32_t> &ids, size_t first) const {
  std::array<MergeTable::Merge, fewSymbols> pairs;
  int32_t *symbols = ids.data() + first;
  size_t count = ids.size() - first;
  for (size_t i = 0; i + 1 < count; ++i)
    pairs[i] = merges.find(symbols[i], symbols[i + 1]);
  while (count > 1) {
    size_t best = 0;
    for (size_t i = 1; i + 1 < count; ++i)
      if (pairs[i].rank < pairs[best].rank)
        best = i;
    if (pairs[best].rank == MergeTable::noRank)
      break;
    symbols[best] = pairs[best].id;
    --count;
    for (size_t i = best + 1; i < count; ++i) {
      symbols[i] = symbols[i + 1];
      pairs[i - 1] = pairs[i];
    }
    for (size_t i = best - (best > 0); i <= best && i + 1 < count; ++i)
      pairs[i] = merges.find(symbols[i], symbols[i + 1]);
  }
  ids.resize(first + count);
}

/// A candidate of the heap has the rank of a merge in its high half and the index of the left symbol in its low half.
/// It is stale if the symbol was merged since, or has another merge now.
void Bpe::mergeMany(ModelMemory &memory, std::vector<int32_t> &ids, size_t first) const {
  auto &symbols = memory.symbols;
  auto &heap = memory.candidates;
  int32_t count = int32_t(ids.size() - first);
  symbols.resize(size_t(count));
  heap.clear();
  auto update = [&](int32_t index) {
    ModelMemory::Symbol &symbol = symbols[size_t(index)];
    MergeTable::Merge merge = {MergeTable::noRank, -1};
    if (symbol.next >= 0)
      merge = merges.find(symbol.id, symbols[size_t(symbol.next)].id);
    symbol.rank = merge.rank;
    symbol.mergedId = merge.id;
    return merge.rank != MergeTable::noRank ? uint64_t(merge.rank) << 32 | uint32_t(index) : 0;
  };
  for (int32_t i = 0; i < count; ++i)
    symbols[size_t(i)] = {ids[first + size_t(i)], i - 1, i + 1 < count ? i + 1 : -1, MergeTable::noRank, -1};
  for (int32_t i = 0; i < count; ++i)
    if (uint64_t candidate = update(i); symbols[size_t(i)].mergedId >= 0)
      heap.push_back(candidate);
  std::ranges::make_heap(heap, std::greater());
  auto push = [&](int32_t index) {
    if (uint64_t candidate = update(index); symbols[size_t(index)].mergedId >= 0) {
      heap.push_back(candidate);
      std::ranges::push_heap(heap, std::greater());
    }
  };
  while (!heap.empty()) {
    uint64_t candidate = heap.front();
    std::ranges::pop_heap(heap, std::greater());
    heap.pop_back();
    int32_t index = int32_t(uint32_t(candidate));
    ModelMemory::Symbol &symbol = symbols[size_t(index)];
    if (symbol.rank != candidate >> 32)
      continue;
    ModelMemory::Symbol &next = symbols[size_t(symbol.next)];
    symbol.id = symbol.mergedId;
    symbol.next = next.next;
    if (next.next >= 0)
      symbols[size_t(next.next)].previous = index;
    next.rank = MergeTable::noRank;
    push(index);
    if (symbol.previous >= 0)
      push(symbol.previous);
  }
  ids.resize(first);
  for (int32_t i = 0; i >= 0; i = symbols[size_t(i)].next)
    ids.push_back(symbols[size_t(i)].id);
}

void Bpe::encode(std::string_view piece, ModelMemory &memory, std::vector<int32_t> &ids) const {
  if (int32_t id = ignoresMerges ? wholeId(piece) : TokenTable::none; id != TokenTable::none) {
    ids.push_back(id);
    return;
  }
  size_t first = ids.size();
  appendSymbols(piece, ids);
  if (ids.size() - first <= fewSymbols)
    mergeFew(ids, first);
  else
    mergeMany(memory, ids, first);
}

} // namespace attnc::tokenizer
