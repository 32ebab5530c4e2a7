//===- TokenTable.h - the tokens of a model's vocabulary, by text and by id ---------------------------------------===//
#pragma once

#include "frontends/tokenizer/JsonEntry.h"
#include <deque>
#include <unordered_map>

namespace attnc::tokenizer {

class TokenTable {
public:
  static constexpr int32_t none = -1;

  TokenTable() = default;
  /// The entries {"token": id} of an object. Throws a FileError for an id that is out of range or occurs twice.
  explicit TokenTable(const JsonEntry &vocabulary);

  /// Adds a token; the text may have another id already, which text() of that id still returns. The id must be unused.
  void add(std::string text, int32_t id);

  int32_t id(std::string_view text) const; ///< the id, or `none`
  bool has(int32_t id) const { return id >= 0 && size_t(id) < texts.size() && texts[size_t(id)]; }
  const std::string &text(int32_t id) const { return *texts[size_t(id)]; } ///< requires has(id)
  int32_t size() const { return int32_t(texts.size()); }                   ///< largest id plus one
  int32_t count() const { return int32_t(ids.size()); }                    ///< number of texts

private:
  std::deque<std::string> storage;
  std::vector<const std::string *> texts; ///< by id; null for an unused id
  std::unordered_map<std::string_view, int32_t> ids;
};

} // namespace attnc::tokenizer
