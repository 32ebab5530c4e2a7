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

static std::string fileName(StringRef key) {
  return key.empty() ? "vocabulary.txt" : ("vocabulary." + key + ".txt").str();
}

bool Vocabularies::isVocabularyFile(StringRef name) {
  return name == fileName("") || (name.starts_with("vocabulary.") && name.ends_with(".txt"));
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
  SmallString<128> path(folder);
  sys::path::append(path, fileName(key));
  return path.str().str();
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
      if (StringRef name = sys::path::filename(each->path()); isVocabularyFile(name))
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
  if (!key || (isGiven(*key) && files.at(*key).empty()))
    return missing(name, kind);
  auto found = read(*key);
  if (!found)
    return found.takeError();
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
  auto given = files.find(name.str());
  if (given != files.end() && given->second.empty())
    return nullptr;
  if (keyOf(name, Vocabulary::Kind::Words))
    return find(name, Vocabulary::Kind::Words);
  for (const std::string &file : filesInFolder()) {
    StringRef key = StringRef(file).drop_front(StringRef("vocabulary").size()).drop_back(StringRef("txt").size());
    auto found = read(key.trim('.').str());
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
  for (const auto &[key, vocabulary] : known)
    result.emplace_back(fileName(key), &vocabulary);
  return result;
}

uint64_t Vocabularies::fingerprint(uint64_t hash) const {
  for (const auto &[key, vocabulary] : known)
    hash = hash * 0x9E3779B97F4A7C15 + xxh3_64bits(vocabulary.text());
  return hash;
}

//===- Vocabularies of a training's data --------------------------------------------------------------------------===//

namespace {
/// Counts words and labels, by the key of their vocabulary.
class Counter {
public:
  explicit Counter(const VocabularyBuild &from) : from(from) {}
  Error add(StringRef name, StringRef path, bool isData);

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

Error Counter::add(StringRef name, StringRef path, bool isData) {
  InputFile file(path.str());
  auto lines = TextLines::read(file);
  if (!lines)
    return lines.takeError();
  for (int64_t line = 0; isLabelFile(path) && line < lines->count(); ++line) {
    auto label = labelOf(*lines, line);
    if (!label)
      return label.takeError();
    ++labels[name.str()][*label];
  }
  if (!isWordFile(path))
    return Error::success();
  StringMap<int64_t> &counts = words[is_contained(from.ownInputs, name) ? name.str() : ""];
  bool isSequence = isData && name.empty();
  if (isSequence)
    countSequence(*lines, trainingPart(lengthOfSequence(*lines), from.heldOut), counts);
  int64_t rows = isSequence ? 0 : isData ? trainingPart(lines->count(), from.heldOut) : lines->count();
  for (int64_t row = 0; row < rows; ++row)
    eachWord((*lines)[row], [&](StringRef word) { ++counts[word]; });
  return Error::success();
}

Error Vocabularies::build(const VocabularyBuild &from) {
  Counter counter(from);
  for (const auto *places : {&from.data, &from.inputs})
    for (StringRef place : *places) {
      auto [name, path] = place.contains('=') ? place.split('=') : std::make_pair(StringRef(), place);
      bool isGivenWords = isGiven(name.str()) || (isGiven("") && !is_contained(from.ownInputs, name));
      bool isWanted = isWordFile(path) ? !isGivenWords : isLabelFile(path) && !isGiven(name.str());
      if (isWanted)
        if (Error error = counter.add(name, path, places == &from.data))
          return error;
    }
  for (const auto &[key, counts] : counter.words)
    known.emplace(key, Vocabulary::ofWords(counts, from.mostTokens));
  for (const auto &[key, counts] : counter.labels)
    known.emplace(key, Vocabulary::ofLabels(counts));
  return Error::success();
}

} // namespace attnc
