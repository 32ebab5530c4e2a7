#include "tools/attnc/Tensors/Vocabularies.h"
#include "compiler/Diagnostics/Printable.h"
#include "tools/attnc/Tensors/Words.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"
#include <algorithm>

using namespace llvm;

namespace attnc {

/// The names of the files of a vocabulary are `begin`, the key after a full stop unless it is empty, and `end`.
static constexpr StringLiteral begins[] = {"vocabulary", "tokenizer"}, ends[] = {".txt", ".json"};

static std::string fileName(StringRef key, bool isTokenizer) {
  return (begins[isTokenizer] + (key.empty() ? "" : ".") + key + ends[isTokenizer]).str();
}

/// The key of the vocabulary in a file of this name; null for other files.
static std::optional<std::string> keyOfFile(StringRef name) {
  for (int i : {0, 1}) {
    StringRef key = name;
    if (key.consume_front(begins[i]) && key.consume_back(ends[i]) && (key.empty() || key.consume_front(".")))
      return key.str();
  }
  return std::nullopt;
}

bool Vocabularies::isVocabularyFile(StringRef name) {
  bool isConfig = name.consume_front("tokenizer_config") && name.ends_with(".json");
  return isConfig || keyOfFile(name);
}

static const char *textOf(Vocabulary::Kind kind) { return kind == Vocabulary::Kind::Words ? "words" : "labels"; }

Expected<Vocabularies> Vocabularies::open(ArrayRef<std::string> options, std::string folder) {
  Vocabularies result;
  result.folder = std::move(folder);
  for (StringRef option : options) {
    bool isNamed = option.contains('=');
    auto [name, file] = isNamed ? option.split('=') : std::make_pair(StringRef(), option);
    auto [found, isNew] = result.files.try_emplace(name.str(), file.str());
    if (!isNew)
      return createStringError(formatv("--vocabulary {0}: {1} has the vocabulary {2} already", option,
                                       name.empty() ? "all text" : "'" + name.str() + "'", found->second));
  }
  return result;
}

//===- Lookup -----------------------------------------------------------------------------------------------------===//

std::string Vocabularies::fileOf(StringRef key) const {
  SmallString<128> path(folder), tokenizer(folder);
  sys::path::append(path, fileName(key, false));
  sys::path::append(tokenizer, fileName(key, true));
  return (!sys::fs::exists(path) && sys::fs::exists(tokenizer) ? tokenizer : path).str().str();
}

std::optional<std::string> Vocabularies::keyOf(StringRef name, Vocabulary::Kind kind) const {
  std::string own = name.str(), shared;
  bool maySharing = kind == Vocabulary::Kind::Words;
  if (isGiven(own))
    return own;
  if (maySharing && isGiven(shared))
    return shared;
  for (const std::string &key : {own, shared}) {
    bool isOfFolder = !folder.empty() && sys::fs::exists(fileOf(key));
    if ((key == own || maySharing) && (known.count(key) || isOfFolder))
      return key;
  }
  return std::nullopt;
}

Expected<const Vocabulary *> Vocabularies::read(const std::string &key) const {
  auto found = known.find(key);
  if (found == known.end()) {
    auto made = Vocabulary::read(isGiven(key) ? files.at(key) : fileOf(key));
    if (!made)
      return made.takeError();
    found = known.emplace(key, std::move(*made)).first;
  }
  return &found->second;
}

std::vector<std::string> Vocabularies::filesInFolder() const {
  std::vector<std::string> names;
  std::error_code code;
  if (!folder.empty())
    for (sys::fs::directory_iterator each(folder, code), end; !code && each != end; each.increment(code))
      if (StringRef name = sys::path::filename(each->path()); keyOfFile(name))
        names.push_back(name.str());
  std::ranges::sort(names);
  return names;
}

Error Vocabularies::missing(StringRef name, Vocabulary::Kind kind, StringRef more) const {
  std::vector<std::string> found = filesInFolder();
  std::string remedy = found.empty() ? ", or give the weights of a training that wrote one"
                                     : formatv("; {0} has {1}", folder, join(found, ", ")).str();
  return createStringError(formatv("'{0}' has no vocabulary of {1}; give it by --vocabulary {0}=FILE{2}{3}", name,
                                   textOf(kind), more, remedy));
}

Expected<const Vocabulary *> Vocabularies::find(StringRef name, Vocabulary::Kind kind) const {
  std::optional<std::string> key = keyOf(name, kind);
  if (!key || (isExcluded(*key) && !known.count(*key)))
    return missing(name, kind);
  auto found = read(*key);
  if (!found)
    return found.takeError();
  inUse.insert(*key);
  if ((*found)->kind() != kind)
    return createStringError(formatv("{0}: is a vocabulary of {1}, expected one of {2} for '{3}'",
                                     isGiven(*key) ? files.at(*key) : fileOf(*key), textOf((*found)->kind()),
                                     textOf(kind), name));
  return found;
}

Expected<const Vocabulary *> Vocabularies::forFile(StringRef name, StringRef path) const {
  if (isWordFile(path))
    return find(name, Vocabulary::Kind::Words);
  if (isLabelFile(path))
    return find(name, Vocabulary::Kind::Labels);
  return nullptr;
}

Expected<const Vocabulary *> Vocabularies::forText(StringRef name) const {
  if (isExcluded(name.str()))
    return nullptr;
  if (keyOf(name, Vocabulary::Kind::Words))
    return find(name, Vocabulary::Kind::Words);
  for (const std::string &file : filesInFolder()) {
    auto found = read(*keyOfFile(file));
    if (!found)
      return found.takeError();
    if ((*found)->kind() == Vocabulary::Kind::Words)
      return missing(name, Vocabulary::Kind::Words, formatv(", or read bytes by --vocabulary {0}=", name).str());
  }
  return nullptr;
}

Expected<const Vocabulary *> Vocabularies::ifLabels(StringRef name) const {
  if (!keyOf(name, Vocabulary::Kind::Labels))
    return nullptr;
  return find(name, Vocabulary::Kind::Labels);
}

std::vector<std::pair<std::string, const Vocabulary *>> Vocabularies::used() const {
  std::vector<std::pair<std::string, const Vocabulary *>> result;
  for (const std::string &key : inUse)
    result.emplace_back(fileName(key, known.at(key).tokenizerFile()), &known.at(key));
  return result;
}

std::vector<std::pair<std::string, std::string>> Vocabularies::filesOfUsed() const {
  std::vector<std::pair<std::string, std::string>> result;
  for (const auto &[name, vocabulary] : used()) {
    result.emplace_back(name, vocabulary->text());
    if (const TokenizerFile *tokenizer = vocabulary->tokenizerFile())
      result.emplace_back(configName(name), tokenizer->config());
  }
  return result;
}

uint64_t Vocabularies::fingerprint(uint64_t hash) const {
  for (const std::string &key : inUse)
    hash = hash * 0x9E3779B97F4A7C15 + xxh3_64bits(known.at(key).text());
  return hash;
}

//===- Vocabularies of a training's data --------------------------------------------------------------------------===//

namespace {
/// Counts words and labels, by the key of their vocabulary.
class Counter {
public:
  explicit Counter(const VocabularyBuild &from) : from(from) {}
  /// Counts the words or labels of a file for the vocabulary `key`. Words that are held out do not count; no word of an
  /// input that is the same in all batches is held out.
  Error add(const std::string &key, StringRef path, bool isData, bool isSequence);

  std::map<std::string, StringMap<int64_t>> words, labels;

private:
  const VocabularyBuild &from;
};
} // namespace

/// Counts the words among the first `count` tokens of a sequence (Vocabulary::sequenceOf).
static void countSequence(const TextLines &lines, int64_t count, StringMap<int64_t> &counts) {
  for (int64_t line = 0; line < lines.count() && count > 0; ++line, --count)
    eachWord(lines[line], [&](StringRef word) {
      if (count-- > 0)
        ++counts[word];
    });
}

Error Counter::add(const std::string &key, StringRef path, bool isData, bool isSequence) {
  InputFile file(path.str());
  auto lines = TextLines::read(file);
  if (!lines)
    return lines.takeError();
  for (int64_t line = 0; isLabelFile(path) && line < lines->count(); ++line) {
    auto label = labelOf(*lines, line);
    if (!label)
      return label.takeError();
    ++labels[key][*label];
  }
  if (!isWordFile(path))
    return Error::success();
  StringMap<int64_t> &counts = words[key];
  if (isSequence)
    countSequence(*lines, trainingPart(lengthOfSequence(*lines), from.heldOut), counts);
  int64_t rows = isSequence ? 0 : isData ? trainingPart(lines->count(), from.heldOut) : lines->count();
  for (int64_t row = 0; row < rows; ++row)
    eachWord((*lines)[row], [&](StringRef word) { ++counts[word]; });
  return Error::success();
}

/// Whether there is a file of a vocabulary, which therefore is not made.
bool Vocabularies::hasFile(const std::string &key) const {
  return isGiven(key) ? !isExcluded(key) : !folder.empty() && sys::fs::exists(fileOf(key));
}

Error Vocabularies::build(const VocabularyBuild &from) {
  Counter counter(from);
  for (const auto *places : {&from.data, &from.inputs})
    for (StringRef place : *places) {
      auto [name, path] = place.contains('=') ? place.split('=') : std::make_pair(StringRef(), place);
      bool isOwn = isLabelFile(path) || isExcluded(name.str()) || is_contained(from.ownInputs, name);
      std::string key = isOwn ? name.str() : "";
      bool isData = places == &from.data, isFound = hasFile(name.str()) || (!isOwn && hasFile(key));
      if (!isFound && (isWordFile(path) || isLabelFile(path)))
        if (Error error = counter.add(key, path, isData, isData && !place.contains('=')))
          return error;
    }
  if (from.mostTokens > 0 && counter.words.empty())
    return createStringError("--vocab-size has no effect: no vocabulary is made from words (.words) of the data");
  for (const auto &[key, counts] : counter.words)
    known.emplace(key, Vocabulary::ofWords(counts, from.mostTokens));
  for (const auto &[key, counts] : counter.labels)
    known.emplace(key, Vocabulary::ofLabels(counts));
  return Error::success();
}

} // namespace attnc
