#include "frontends/checkpoint/Config.h"
#include "compiler/Diagnostics/Printable.h"
#include "compiler/Json/InputBuffer.h"
#include "compiler/Json/Json.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <cmath>
#include <fmt/format.h>
#include <limits>

using namespace llvm;

namespace attnc {

/// The text as JSON: Python writes infinity as a word, which a number that is read as infinity replaces.
static std::string withoutWords(StringRef text) {
  static constexpr StringLiteral word = "Infinity";
  std::string result;
  bool isQuoted = false;
  for (size_t at = 0; at < text.size(); ++at) {
    if (!isQuoted && text.substr(at).starts_with(word)) {
      result += "1e999";
      at += word.size() - 1;
      continue;
    }
    result += text[at];
    if (text[at] == '"')
      isQuoted = !isQuoted;
    else if (isQuoted && text[at] == '\\' && at + 1 < text.size())
      result += text[++at];
  }
  return result;
}

Expected<json::Object> readConfigFile(const std::string &path) {
  auto fail = [](const std::string &message) { return createStringError(inconvertibleErrorCode(), message); };
  auto file = readInputFile(path);
  if (!file)
    return fail("can't read " + path + ": " + toString(file.takeError()));
  Expected<json::Value> value = parseJson(withoutWords((*file)->getBuffer()));
  if (!value)
    return fail(path + ": " + toString(value.takeError()));
  json::Object *object = value->getAsObject();
  if (!object)
    return fail(path + ": expected an object of keys and values");
  return std::move(*object);
}

static std::string shown(const json::Value &value) {
  if (value.kind() == json::Value::Number)
    return fmt::format("{}", *value.getAsNumber()); // 0.2, which LLVM prints as 0.20000000000000001
  return printable(formatv("{0}", value).str());
}

bool Config::has(StringRef key) const {
  const json::Value *value = values.get(key);
  return value && value->kind() != json::Value::Null;
}

bool Config::isNull(StringRef key) const {
  const json::Value *value = values.get(key);
  return value && value->kind() == json::Value::Null;
}

/// Marks the key as read.
const json::Value *Config::find(StringRef key) {
  marks->read.insert(key);
  return has(key) ? values.get(key) : nullptr;
}

void Config::refuse(StringRef key, StringRef expected) {
  marks->read.insert(key);
  std::string found = has(key) ? shown(*values.get(key)) : "nothing";
  std::string problem = place + key.str() + ": found " + found + ", expected " + expected.str();
  if (!is_contained(problems, problem)) // a key may be read twice
    problems.push_back(problem);
}

int64_t Config::whole(StringRef key, std::optional<int64_t> otherwise, int64_t least, StringRef expected) {
  const json::Value *value = find(key);
  if (!value && otherwise)
    return *otherwise;
  std::optional<int64_t> number = value ? value->getAsInteger() : std::nullopt;
  if (number && *number >= least && *number <= INT32_MAX)
    return *number;
  refuse(key, expected);
  return otherwise.value_or(1);
}

int64_t Config::size(StringRef key, std::optional<int64_t> otherwise) {
  return whole(key, otherwise, 1, "a positive whole number");
}

int64_t Config::count(StringRef key, int64_t otherwise) { return whole(key, otherwise, 0, "a whole number from 0 up"); }

double Config::real(StringRef key, std::optional<double> otherwise) {
  const json::Value *value = find(key);
  if (!value && otherwise)
    return *otherwise;
  std::optional<double> number = value ? value->getAsNumber() : std::nullopt;
  if (number && std::isfinite(*number))
    return *number;
  refuse(key, "a number");
  return otherwise.value_or(1);
}

double Config::positive(StringRef key, std::optional<double> otherwise) {
  size_t before = problems.size();
  double number = real(key, otherwise);
  if (number > 0 || problems.size() > before)
    return number;
  refuse(key, "a positive number");
  return otherwise.value_or(1);
}

bool Config::flag(StringRef key, bool otherwise) {
  const json::Value *value = find(key);
  if (!value)
    return otherwise;
  if (std::optional<bool> flag = value->getAsBoolean())
    return *flag;
  refuse(key, "true or false");
  return otherwise;
}

std::string Config::text(StringRef key, StringRef otherwise) {
  const json::Value *value = find(key);
  if (!value)
    return otherwise.str();
  if (std::optional<StringRef> text = value->getAsString())
    return text->str();
  refuse(key, "a text");
  return otherwise.str();
}

/// The elements of a list, each read by `get`; null if one of them is of another type.
template <typename Element, typename Get>
static std::optional<std::vector<Element>> elementsOf(const json::Array &array, Get get) {
  std::vector<Element> elements;
  for (const json::Value &value : array) {
    auto element = get(value);
    if (!element)
      return std::nullopt;
    elements.emplace_back(*element);
  }
  return elements;
}

std::vector<int64_t> Config::numbers(StringRef key) {
  const json::Value *value = find(key);
  if (!value)
    return {};
  if (std::optional<int64_t> one = value->getAsInteger())
    return {*one};
  if (const json::Array *array = value->getAsArray())
    if (auto all = elementsOf<int64_t>(*array, [](const json::Value &each) { return each.getAsInteger(); }))
      return *all;
  refuse(key, "a whole number, or a list of them");
  return {};
}

static std::optional<double> realOf(const json::Value &value) {
  const json::Object *object = value.getAsObject();
  if (object && object->getString("__float__") == StringRef("Infinity"))
    return std::numeric_limits<double>::infinity();
  return value.getAsNumber();
}

std::vector<double> Config::reals(StringRef key) {
  const json::Value *value = find(key);
  if (!value)
    return {};
  if (const json::Array *array = value->getAsArray())
    if (auto all = elementsOf<double>(*array, realOf))
      return *all;
  refuse(key, "a list of numbers");
  return {};
}

std::vector<std::string> Config::texts(StringRef key) {
  const json::Value *value = find(key);
  if (!value)
    return {};
  if (const json::Array *array = value->getAsArray())
    if (auto all = elementsOf<std::string>(*array, [](const json::Value &each) { return each.getAsString(); }))
      return *all;
  refuse(key, "a list of texts");
  return {};
}

Config Config::inside(StringRef key, const json::Object &object) {
  Config result(object, place + key.str() + ".", problems);
  std::shared_ptr<Marks> &known = marks->objects[key];
  if (known)
    result.marks = known;
  known = result.marks;
  return result;
}

std::optional<Config> Config::object(StringRef key) {
  const json::Value *value = find(key);
  if (!value)
    return std::nullopt;
  if (const json::Object *object = value->getAsObject())
    return inside(key, *object);
  refuse(key, "an object");
  return std::nullopt;
}

Config Config::part(StringRef key) {
  static const json::Object empty;
  std::optional<Config> found = object(key);
  return found ? std::move(*found) : inside(key, empty);
}

std::optional<int64_t> Config::entries(StringRef key) {
  const json::Value *value = find(key);
  if (!value)
    return std::nullopt;
  if (const json::Object *object = value->getAsObject())
    return int64_t(object->size());
  refuse(key, "an object");
  return std::nullopt;
}

void Config::ignore(ArrayRef<StringRef> keys) {
  for (StringRef key : keys)
    marks->read.insert(key);
}

void Config::expectOnly(StringRef key, const json::Value &only) {
  const json::Value *value = find(key);
  if (value && *value != only)
    refuse(key, shown(only));
}

std::vector<std::string> Config::unread() const {
  std::vector<std::string> result;
  for (const auto &[key, value] : values) {
    auto object = marks->objects.find(StringRef(key));
    if (object != marks->objects.end() && value.getAsObject()) {
      Config inner(*value.getAsObject(), "", problems);
      inner.marks = object->second;
      for (const std::string &each : inner.unread())
        result.push_back(printable(StringRef(key)) + "." + each);
    } else if (!marks->read.contains(key) && value.kind() != json::Value::Null)
      result.push_back(printable(StringRef(key)) + " = " + shown(value));
  }
  llvm::sort(result);
  return result;
}

} // namespace attnc
