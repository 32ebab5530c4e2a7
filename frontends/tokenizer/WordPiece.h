//===- WordPiece.h - WordPiece: the longest token at each place of a word -----------------------------------------===//
//
// A word is the sequence of the longest tokens that match from its start to its end. Tokens after the first are written
// with a prefix in the vocabulary, "##". A word without such a sequence, or with too many characters, is the unknown
// token (Schuster and Nakajima 2012; Devlin et al. 2018).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/tokenizer/Model.h"
#include "frontends/tokenizer/Trie.h"

namespace attnc::tokenizer {

class WordPiece : public Model {
public:
  explicit WordPiece(const JsonEntry &model);
  void encode(std::string_view piece, ModelMemory &memory, std::vector<int32_t> &ids) const override;

private:
  bool split(std::string_view piece, std::vector<int32_t> &ids) const;

  std::string unknown;
  size_t mostCharacters;
  Trie trie;
  int32_t continuation; ///< the node of the prefix of later tokens
};

} // namespace attnc::tokenizer
