//===- WordLevel.h - a vocabulary of whole pieces -----------------------------------------------------------------===//
#pragma once

#include "frontends/tokenizer/Model.h"

namespace attnc::tokenizer {

/// Each piece is one token; a piece that is not in the vocabulary is the unknown token.
class WordLevel : public Model {
public:
  explicit WordLevel(const JsonEntry &model)
      : Model(TokenTable(model["vocab"])), unknown(model["unk_token"].textOr("")) {}
  void encode(std::string_view piece, ModelMemory &, std::vector<int32_t> &ids) const override {
    int32_t id = table.id(piece);
    ids.push_back(id == TokenTable::none ? unknownId(table, unknown) : id);
  }

private:
  std::string unknown;
};

} // namespace attnc::tokenizer
