#include "compiler/Verify/Certificate.h"
#include "compiler/Json/Json.h"

namespace attnc::verify {

std::string textOf(const ValueLocation &location) {
  std::string number = std::to_string(location.number);
  switch (location.kind) {
  case ValueLocation::Kind::Slot:
    return "slot " + number;
  case ValueLocation::Kind::Caller:
    return "the caller's result " + number;
  case ValueLocation::Kind::State:
    return "the caller's state " + number;
  case ValueLocation::Kind::Updated:
    return "the parameter that step " + number + " sets";
  case ValueLocation::Kind::Element:
    return "the list that step " + number + " writes";
  }
  llvm_unreachable("all kinds of places");
}

namespace {

/// Parses one entry point; `fault` is the first error.
class EntryReader {
public:
  explicit EntryReader(const llvm::json::Object &object) : object(object) {}

  EntryCertificate read();
  std::string fault;

private:
  const llvm::json::Object &object;
  EntryCertificate certificate;

  void wrong(const llvm::Twine &text) { fault = fault.empty() ? text.str() : fault; }
  std::string text(const llvm::json::Object &from, llvm::StringRef key);
  int64_t number(const llvm::json::Object &from, llvm::StringRef key);
  SizeExpr size(const llvm::json::Object &from, llvm::StringRef key);
  int64_t slot(const llvm::json::Object &from, llvm::StringRef key);
  ValueLocation location(const llvm::json::Object &from, llvm::StringRef key);
  ValueLocation location(const llvm::json::Object *from);
  ValueName value(const llvm::json::Object &from);
  void each(llvm::StringRef key, llvm::function_ref<void(const llvm::json::Object &)> read);
};

std::string EntryReader::text(const llvm::json::Object &from, llvm::StringRef key) {
  if (std::optional<llvm::StringRef> found = from.getString(key))
    return found->str();
  wrong("lacks the text `" + key + "`");
  return "";
}

int64_t EntryReader::number(const llvm::json::Object &from, llvm::StringRef key) {
  if (std::optional<int64_t> found = from.getInteger(key); found && *found >= 0)
    return *found;
  wrong("lacks the number `" + key + "`");
  return 0;
}

SizeExpr EntryReader::size(const llvm::json::Object &from, llvm::StringRef key) {
  std::string found = text(from, key);
  if (std::optional<SizeExpr> size = SizeExpr::parse(found, certificate.symbols))
    return *size;
  wrong("has `" + found + "`, expected a size over the dimensions");
  return 0;
}

int64_t EntryReader::slot(const llvm::json::Object &from, llvm::StringRef key) {
  int64_t found = number(from, key);
  if (found < int64_t(certificate.slots.size()))
    return found;
  wrong("names slot " + llvm::Twine(found) + ", but there are " + llvm::Twine(certificate.slots.size()));
  return 0;
}

ValueLocation EntryReader::location(const llvm::json::Object &from, llvm::StringRef key) {
  return location(from.getObject(key));
}

ValueLocation EntryReader::location(const llvm::json::Object *from) {
  static constexpr std::pair<llvm::StringLiteral, ValueLocation::Kind> kinds[] = {
      {"slot", ValueLocation::Kind::Slot},
      {"caller", ValueLocation::Kind::Caller},
      {"state", ValueLocation::Kind::State},
      {"updated", ValueLocation::Kind::Updated},
      {"element", ValueLocation::Kind::Element}};
  for (const auto &[key, kind] : kinds)
    if (from && from->get(key))
      return {kind, kind == ValueLocation::Kind::Slot ? slot(*from, key) : number(*from, key)};
  wrong("lacks a location");
  return {};
}

ValueName EntryReader::value(const llvm::json::Object &from) {
  if (from.get("argument"))
    return {ValueName::Kind::Argument, 0, number(from, "argument")};
  bool isCarried = from.get("carried");
  return {isCarried ? ValueName::Kind::Carried : ValueName::Kind::Result, number(from, "step"),
          number(from, isCarried ? "carried" : "result")};
}

void EntryReader::each(llvm::StringRef key, llvm::function_ref<void(const llvm::json::Object &)> read) {
  const llvm::json::Array *list = object.getArray(key);
  if (!list)
    return wrong("lacks the list `" + key + "`");
  for (const llvm::json::Value &element : *list)
    if (const llvm::json::Object *found = element.getAsObject())
      read(*found);
    else
      wrong("has an element that is not an object in `" + key + "`");
}

EntryCertificate EntryReader::read() {
  certificate.name = text(object, "name");
  if (const llvm::json::Array *symbols = object.getArray("symbols"))
    for (const llvm::json::Value &symbol : *symbols)
      certificate.symbols.push_back(symbol.getAsString().value_or("").str());
  if (certificate.symbols.empty())
    wrong("lacks the list `symbols`");
  certificate.arenaBytes = size(object, "arena_bytes");
  certificate.alignment = number(object, "alignment");
  if (certificate.alignment < 1)
    wrong("has an alignment of 0");
  each("slots", [&](const llvm::json::Object &from) {
    PlannedSlot slot{size(from, "bytes"), std::nullopt, std::nullopt};
    // Both slots are before it in the list.
    if (from.get("within"))
      slot.within = this->slot(from, "within");
    if (from.get("behind"))
      slot.behind = this->slot(from, "behind");
    if (fault.empty() && slot.behind && certificate.slots[*slot.behind].within != slot.within)
      wrong("has slot " + llvm::Twine(certificate.slots.size()) + " after slot " + llvm::Twine(*slot.behind) +
            ", which is not within the same slot");
    certificate.slots.push_back(std::move(slot));
  });
  each("values",
       [&](const llvm::json::Object &from) { certificate.values.emplace_back(value(from), location(&from)); });
  each("copies", [&](const llvm::json::Object &from) {
    std::optional<ValueLocation> source;
    if (from.get("from"))
      source = location(from, "from");
    certificate.copies.push_back({number(from, "before"), value(from), source, location(from, "to")});
  });
  each("scratch", [&](const llvm::json::Object &from) {
    certificate.scratch.push_back({number(from, "step"), slot(from, "slot"), size(from, "bytes")});
  });
  each("all_pairs", [&](const llvm::json::Object &from) {
    certificate.allPairs.push_back({text(from, "kernel"), text(from, "bytes")});
  });
  return std::move(certificate);
}

} // namespace

llvm::Expected<Certificate> Certificate::parse(llvm::StringRef text) {
  llvm::Expected<llvm::json::Value> parsed = parseJson(text);
  if (!parsed) {
    consumeError(parsed.takeError());
    return llvm::createStringError("is not JSON");
  }
  const llvm::json::Object *object = parsed->getAsObject();
  const llvm::json::Array *entries = object ? object->getArray("entries") : nullptr;
  auto textOf = [&](llvm::StringRef key) { return object ? object->getString(key) : std::nullopt; };
  std::optional<llvm::StringRef> module = textOf("module"), compiler = textOf("compiler");
  if (!entries || !module || !compiler)
    return llvm::createStringError("lacks `compiler`, `module` or `entries`");
  Certificate result;
  result.compiler = compiler->str();
  result.module = module->str();
  for (const llvm::json::Value &entry : *entries) {
    if (!entry.getAsObject())
      return llvm::createStringError("has an entry point that is not an object");
    EntryReader reader(*entry.getAsObject());
    result.entries.push_back(reader.read());
    if (!reader.fault.empty())
      return llvm::createStringError(reader.fault + " (entry point '" + result.entries.back().name + "')");
  }
  return result;
}

} // namespace attnc::verify
