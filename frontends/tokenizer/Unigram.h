//===- Unigram.h - the unigram language model of SentencePiece ----------------------------------------------------===//
//
// Each token has a score, the logarithm of its probability. A piece becomes the sequence of tokens with the largest sum
// of scores, which dynamic programming over the bytes of the piece finds (Kudo 2018). A character without a token
// counts as the unknown token, whose score is 10 below the least; adjacent unknown characters are one token. With
// byte_fallback, unknown characters become tokens <0x00> to <0xFF> instead, if the vocabulary has one for each of their
// bytes.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/tokenizer/Model.h"
#include "frontends/tokenizer/Trie.h"

namespace attnc::tokenizer {

class Unigram : public Model {
public:
  explicit Unigram(const JsonEntry &model);
  void encode(std::string_view piece, ModelMemory &memory, std::vector<int32_t> &ids) const override;

private:
  void findPaths(std::string_view piece, std::vector<ModelMemory::Path> &paths) const;
  void appendUnknown(std::string_view part, std::vector<int32_t> &ids) const;

  std::vector<double> scores;
  double unknownScore = 0;
  int32_t unknown = TokenTable::none;
  std::vector<int32_t> byteTokens; ///< of each byte, or TokenTable::none; empty without byte_fallback
  Trie trie;
};

/// The tokens "<0x00>" to "<0xFF>" of each byte, TokenTable::none where the table has none.
std::vector<int32_t> byteTokensOf(const TokenTable &table);

} // namespace attnc::tokenizer
