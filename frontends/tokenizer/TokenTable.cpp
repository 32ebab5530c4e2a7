#include "frontends/tokenizer/TokenTable.h"

namespace attnc::tokenizer {

TokenTable::TokenTable(const JsonEntry &vocabulary) {
  vocabulary.eachEntry([&](const std::string &text, const JsonEntry &entry) {
    int32_t id = entry.id();
    if (has(id))
      entry.failWith("found the id " + std::to_string(id) + ", which " + shown(this->text(id)) + " has already");
    add(text, id);
  });
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
