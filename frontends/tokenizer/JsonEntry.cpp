#include "frontends/tokenizer/JsonEntry.h"
#include "frontends/tokenizer/Utf8.h"

#include <nlohmann/json.hpp>

using nlohmann::json;

namespace attnc::tokenizer {

static const json absentEntry = nullptr;

std::string shown(std::string_view text) {
  constexpr size_t mostBytes = 60;
  std::string result = "'";
  for (size_t at = 0; at < text.size();) {
    if (at >= mostBytes)
      return result + "...'";
    Character character = characterAt(text, at);
    static const char digits[] = "0123456789abcdef";
    if (character.codePoint < 0x20 || character.codePoint == 0x7F)
      result += {'\\', 'x', digits[character.codePoint >> 4], digits[character.codePoint & 15]};
    else
      result += text.substr(at, character.bytes);
    at += character.bytes;
  }
  return result + "'";
}

JsonEntry JsonEntry::operator[](const std::string &key) const {
  if (!value->is_object())
    fail("an object");
  auto found = value->find(key);
  return {found == value->end() ? absentEntry : *found, file, place.empty() ? key : place + "." + key};
}

JsonEntry JsonEntry::operator[](size_t index) const {
  if (!value->is_array())
    fail("an array");
  return {value->at(index), file, place + "[" + std::to_string(index) + "]"};
}

std::vector<JsonEntry> JsonEntry::elements() const {
  if (!value->is_array())
    fail("an array");
  std::vector<JsonEntry> result;
  for (size_t index = 0; index < value->size(); ++index)
    result.push_back((*this)[index]);
  return result;
}

JsonEntry JsonEntry::keyed(const std::string &key) const {
  return {value->at(key), file, place + "[" + shown(key) + "]"};
}

bool JsonEntry::isNull() const { return value->is_null(); }
bool JsonEntry::isString() const { return value->is_string(); }
bool JsonEntry::isArray() const { return value->is_array(); }
bool JsonEntry::isObject() const { return value->is_object(); }

const std::string &JsonEntry::text() const {
  if (!value->is_string())
    fail("a string");
  return value->get_ref<const std::string &>();
}

std::string JsonEntry::textOr(const char *absent) const { return isNull() ? absent : text(); }

bool JsonEntry::flag() const {
  if (!value->is_boolean())
    fail("true or false");
  return value->get<bool>();
}

bool JsonEntry::flagOr(bool absent) const { return isNull() ? absent : flag(); }

double JsonEntry::number() const {
  if (!value->is_number())
    fail("a number");
  return value->get<double>();
}

int64_t JsonEntry::integer(int64_t least, int64_t most) const {
  std::string expected = "an integer from " + std::to_string(least) + " to " + std::to_string(most);
  if (!value->is_number_integer() || (value->is_number_unsigned() && value->get<uint64_t>() > uint64_t(INT64_MAX)))
    fail(expected);
  int64_t number = value->get<int64_t>();
  if (number < least || number > most)
    fail(expected);
  return number;
}

int32_t JsonEntry::id() const { return int32_t(integer(0, largestId)); }

char32_t JsonEntry::character() const {
  const std::string &all = text();
  if (all.empty() || characterAt(all, 0).bytes != all.size())
    fail("one character");
  return characterAt(all, 0).codePoint;
}

size_t JsonEntry::oneOf(std::initializer_list<const char *> names) const {
  std::string list;
  size_t position = 0;
  for (const char *name : names) {
    if (isString() && text() == name)
      return position;
    list += (position++ ? ", " : "") + std::string(name);
  }
  fail("one of " + list);
}

std::string JsonEntry::found() const {
  switch (value->type()) {
  case json::value_t::null:
    return "nothing";
  case json::value_t::string:
    return shown(value->get_ref<const std::string &>());
  case json::value_t::object:
    return "an object";
  case json::value_t::array:
    return "an array of " + std::to_string(value->size());
  default:
    return value->dump();
  }
}

void JsonEntry::fail(const std::string &expected) const { failWith("found " + found() + ", expected " + expected); }

void JsonEntry::failWith(const std::string &message) const {
  throw FileError(file + ": " + (place.empty() ? "" : place + ": ") + message);
}

} // namespace attnc::tokenizer
