//===- JsonEntry.h - entries of a JSON file, with their places ----------------------------------------------------===//
//
// An entry is a value of the file and the path of keys to it, such as "model.merges[7]". Each accessor checks the type
// of the value, and throws a FileError that has the place, what was found, and what was expected:
//
//   tokenizer.json: model.vocab: found an array, expected an object
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/tokenizer/Errors.h"
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>
#include <vector>

namespace attnc::tokenizer {

/// Largest id of a token, which bounds the memory of tables by id.
inline constexpr int64_t largestId = (int64_t(1) << 22) - 1;

class JsonEntry {
public:
  /// The root of a file; `file` is its name in messages. `value` must outlive the entry.
  JsonEntry(const nlohmann::json &value, std::string file) : value(&value), file(std::move(file)) {}

  /// The entry `key` of an object; an entry that is absent is null.
  JsonEntry operator[](const std::string &key) const;
  /// An element of an array.
  JsonEntry operator[](size_t index) const;
  /// The elements of an array.
  std::vector<JsonEntry> elements() const;
  /// As operator[], for a key of any text; the place is "vocab['a b']".
  JsonEntry keyed(const std::string &key) const;
  /// The value itself, for loops over many elements, which create entries only for messages.
  const nlohmann::json &json() const { return *value; }

  bool isNull() const; ///< null or absent
  bool isString() const;
  bool isArray() const;
  bool isObject() const;

  const std::string &text() const;
  std::string textOr(const char *absent) const; ///< `absent` for null
  bool flag() const;
  bool flagOr(bool absent) const; ///< `absent` for null
  double number() const;
  int64_t integer(int64_t least, int64_t most) const;
  int32_t id() const; ///< an integer from 0 to largestId
  /// A string of exactly one character, as a code point.
  char32_t character() const;
  /// The position of a string in `names`.
  size_t oneOf(std::initializer_list<const char *> names) const;

  /// Throws a FileError for this entry, which has another value than `expected`.
  [[noreturn]] void fail(const std::string &expected) const;
  /// Throws a FileError for this entry with the text `message` after its place.
  [[noreturn]] void failWith(const std::string &message) const;

private:
  JsonEntry(const nlohmann::json &value, std::string file, std::string place)
      : value(&value), file(std::move(file)), place(std::move(place)) {}
  std::string found() const;

  const nlohmann::json *value;
  std::string file, place;
};

/// A text in quotation marks for messages: control characters are escaped, and a long text is shortened.
std::string shown(std::string_view text);

} // namespace attnc::tokenizer
