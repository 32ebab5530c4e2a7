#include "frontends/tokenizer/Model.h"
#include "frontends/tokenizer/Bpe.h"
#include "frontends/tokenizer/Errors.h"
#include "frontends/tokenizer/Unigram.h"
#include "frontends/tokenizer/WordLevel.h"
#include "frontends/tokenizer/WordPiece.h"

namespace attnc::tokenizer {

std::unique_ptr<Model> Model::read(const JsonEntry &model) {
  if (!model.isObject())
    model.fail("an object");
  size_t type;
  if (!model["type"].isNull())
    type = model["type"].oneOf({"BPE", "WordPiece", "Unigram", "WordLevel"});
  else
    type = !model["merges"].isNull()                      ? 0
           : !model["continuing_subword_prefix"].isNull() ? 1
           : model["vocab"].isArray()                     ? 2
                                                          : 3;
  switch (type) {
  case 0:
    return std::make_unique<Bpe>(model);
  case 1:
    return std::make_unique<WordPiece>(model);
  case 2:
    return std::make_unique<Unigram>(model);
  default:
    return std::make_unique<WordLevel>(model);
  }
}

int32_t unknownId(const TokenTable &table, const std::string &text) {
  int32_t id = table.id(text);
  if (id == TokenTable::none)
    throw TextError("a part of the text is not in the vocabulary, which has no unknown token");
  return id;
}

} // namespace attnc::tokenizer
