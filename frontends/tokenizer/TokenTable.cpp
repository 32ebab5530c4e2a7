#include "frontends/tokenizer/TokenTable.h"

#include <nlohmann/json.hpp>

namespace attnc::tokenizer {

TokenTable::TokenTable(const JsonEntry &vocabulary) {
  if (!vocabulary.isObject())
    vocabulary.fail("an object");
  ids.reserve(vocabulary.json().size());
  for (const auto &[text, value] : vocabulary.json().items()) {
    bool isId = value.is_number_unsigned() && value.get<uint64_t>() <= uint64_t(largestId);
    int32_t id = isId ? value.get<int32_t>() : vocabulary.keyed(text).id();
    if (has(id))
      vocabulary.keyed(text).failWith("found the id " + std::to_string(id) + ", which " + shown(this->text(id)) +
                                      " has already");
    add(text, id);
  }
}

void TokenTable::add(std::string text, int32_t id) {
  const std::string &stored = storage.emplace_back(std::move(text));
  if (texts.size() <= size_t(id))
    texts.resize(size_t(id) + 1);
  texts[size_t(id)] = &stored;
  ids[stored] = id;
}

int32_t TokenTable::id(std::string_view text) const {
  auto found = ids.find(text);
  return found == ids.end() ? none : found->second;
}

} // namespace attnc::tokenizer
