#include "frontends/tokenizer/WordPiece.h"

#include <algorithm>

namespace attnc::tokenizer {

static Trie::Entries entriesOf(const TokenTable &table) {
  Trie::Entries entries;
  for (int32_t id = 0; id < table.size(); ++id)
    if (table.has(id) && !table.text(id).empty())
      entries.emplace_back(table.text(id), id);
  return entries;
}

WordPiece::WordPiece(const JsonEntry &model)
    : Model(TokenTable(model["vocab"])), unknown(model["unk_token"].textOr("[UNK]")), trie(entriesOf(table)) {
  const JsonEntry most = model["max_input_chars_per_word"];
  mostCharacters = most.isNull() ? 100 : size_t(most.integer(0, INT32_MAX));
  continuation = trie.descend(Trie::root, model["continuing_subword_prefix"].textOr("##"));
}

/// Appends the tokens of a word; false if it has none.
bool WordPiece::split(std::string_view piece, std::vector<int32_t> &ids) const {
  for (size_t begin = 0; begin < piece.size();) {
    int32_t node = begin == 0 ? Trie::root : continuation, id = Trie::none;
    size_t end = begin;
    for (size_t at = begin; at < piece.size() && node != Trie::none; ++at) {
      node = trie.child(node, piece[at]);
      if (node != Trie::none && trie.value(node) != Trie::none) {
        id = trie.value(node);
        end = at + 1;
      }
    }
    if (id == Trie::none)
      return false;
    ids.push_back(id);
    begin = end;
  }
  return true;
}

void WordPiece::encode(std::string_view piece, ModelMemory &, std::vector<int32_t> &ids) const {
  size_t characters = size_t(std::ranges::count_if(piece, [](char byte) { return (uint8_t(byte) & 0xC0) != 0x80; }));
  size_t before = ids.size();
  if (characters <= mostCharacters && split(piece, ids))
    return;
  ids.resize(before);
  ids.push_back(unknownId(table, unknown));
}

} // namespace attnc::tokenizer
