//===- Model.h - the model of a tokenizer: from pieces of text to ids ---------------------------------------------===//
#pragma once

#include "frontends/tokenizer/TokenTable.h"
#include <memory>

namespace attnc::tokenizer {

/// The memory of a model's encode(). One thread at a time may use it.
struct ModelMemory {
  struct Symbol {
    int32_t id, previous, next; ///< `previous` and `next` are indices of symbols; -1 if there is none
    uint32_t rank;              ///< of the merge with the next symbol
    int32_t mergedId;           ///< the result of this merge
  };
  std::vector<Symbol> symbols;      ///< of Bpe
  std::vector<uint64_t> candidates; ///< of Bpe: a heap of merges
  struct Path {
    double score;
    size_t begin;
    int32_t id; ///< Trie::none for a place that no path reaches
  };
  std::vector<Path> paths; ///< of Unigram: the best path to each byte
  std::vector<Path> best;  ///< of Unigram: the tokens of the best path, from the last to the first
};

class Model {
public:
  virtual ~Model() = default;
  /// Reads the entry `model`. A file without `model.type`, which older versions wrote, has the type that its other
  /// entries determine.
  static std::unique_ptr<Model> read(const JsonEntry &model);

  /// Appends the ids of a piece, which is not empty. Throws a TextError if the piece has an unknown part and there is
  /// no unknown token.
  virtual void encode(std::string_view piece, ModelMemory &memory, std::vector<int32_t> &ids) const = 0;

  /// Lets encode() take the bytes of a piece instead of the characters that stand for them (ByteAlphabet.h). Returns
  /// false, and changes nothing, if the model does not support it.
  virtual bool useBytes() { return false; }

  /// Whether a piece may be split before each U+2581 that follows another character, without an effect on its ids: no
  /// token contains this sequence. Models without a pre-tokenizer have whole texts as pieces.
  virtual bool splitsAtSpaces() const { return false; }

  const TokenTable &tokens() const { return table; }

protected:
  explicit Model(TokenTable table) : table(std::move(table)) {}
  TokenTable table;
};

/// The id of the unknown token `text`. Throws a TextError if it is not in the vocabulary.
int32_t unknownId(const TokenTable &table, const std::string &text);

} // namespace attnc::tokenizer
