#include "tools/attnc/Tensors/Vocabulary.h"
#include "compiler/Diagnostics/Printable.h"
#include "compiler/Diagnostics/Spelling.h"
#include "tools/attnc/Tensors/Words.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace llvm;

namespace attnc {

static constexpr char endWord[] = "<end>";

bool isWordFile(StringRef path) { return path.ends_with(".words"); }
bool isLabelFile(StringRef path) { return path.ends_with(".labels"); }

static int64_t wordsOf(StringRef text) {
  int64_t words = 0;
  eachWord(text, [&](StringRef) { ++words; });
  return words;
}

int64_t lengthOfSequence(const TextLines &lines) {
  int64_t length = 0;
  for (int64_t line = 0; line < lines.count(); ++line)
    length += wordsOf(lines[line]) + 1;
  return length;
}

Expected<StringRef> labelOf(const TextLines &lines, int64_t line) {
  StringRef label = lines[line].trim();
  if (label.empty())
    return createStringError(formatv("{0}: is empty, expected a label", lines.placeOf(line)));
  return label;
}

//===- Vocabularies and their files -------------------------------------------------------------------------------===//

Vocabulary::Vocabulary(bool isOfWords, std::vector<std::string> all) : isOfWords(isOfWords), entries(std::move(all)) {
  for (auto [number, entry] : enumerate(entries))
    numbers[entry] = int32_t(number);
}

Vocabulary Vocabulary::ofWords(const StringMap<int64_t> &counts, int64_t mostTokens) {
  std::vector<std::pair<int64_t, StringRef>> words;
  for (const auto &entry : counts)
    if (entry.first() != unknownWord)
      words.emplace_back(-entry.second, entry.first());
  std::ranges::sort(words);
  if (mostTokens > 0)
    words.resize(std::min(words.size(), size_t(std::max<int64_t>(mostTokens - specialTokens, 0))));
  std::vector<std::string> entries = {endWord, unknownWord};
  for (const auto &[count, word] : words)
    entries.push_back(word.str());
  return {true, std::move(entries)};
}

Vocabulary Vocabulary::ofLabels(const StringMap<int64_t> &counts) {
  std::vector<std::string> entries;
  for (StringRef label : counts.keys())
    entries.push_back(label.str());
  std::ranges::sort(entries);
  return {false, std::move(entries)};
}

Expected<Vocabulary> Vocabulary::read(const std::string &path) {
  if (isTokenizerFile(path)) {
    auto tokenizer = TokenizerFile::open(path);
    if (!tokenizer)
      return tokenizer.takeError();
    return Vocabulary(std::move(*tokenizer));
  }
  InputFile file(path);
  auto lines = TextLines::read(file);
  if (!lines)
    return lines.takeError();
  return parse(*lines);
}

Expected<Vocabulary> Vocabulary::parse(const TextLines &lines) {
  bool isOfWords = lines.count() >= specialTokens && lines[0] == endWord && lines[1] == unknownWord;
  std::vector<std::string> entries;
  StringMap<int64_t> lineOf;
  for (int64_t line = 0; line < lines.count(); ++line) {
    StringRef entry = lines[line];
    auto [first, isNew] = lineOf.try_emplace(entry, line);
    if (!isNew)
      return createStringError(formatv("{0}: has '{1}', which line {2} has already", lines.placeOf(line),
                                       printable(entry), first->second + 1));
    bool isSpecial = line < specialTokens;
    if (isOfWords && !isSpecial && !isOneWord(entry))
      return createStringError(
          formatv("{0}: has '{1}', expected one word or punctuation mark", lines.placeOf(line), printable(entry)));
    if (entry.empty() || entry != entry.trim())
      return createStringError(formatv("{0}: has '{1}', expected a word or label without spaces around it",
                                       lines.placeOf(line), printable(entry)));
    entries.push_back(entry.str());
  }
  return Vocabulary(isOfWords, std::move(entries));
}

std::string Vocabulary::text() const {
  if (tokenizer)
    return tokenizer->text();
  return entries.empty() ? "" : join(entries, "\n") + "\n";
}

StringRef Vocabulary::operator[](int32_t number) const {
  if (tokenizer && !tokenizer->token(number).empty())
    return tokenizer->token(number);
  return !tokenizer && number >= 0 && number < size() ? StringRef(entries[size_t(number)]) : "\xEF\xBF\xBD";
}

//===- Encoding ---------------------------------------------------------------------------------------------------===//

Expected<std::vector<int32_t>> Vocabulary::tokensOf(StringRef text) const {
  if (tokenizer)
    return tokenizer->encode(text, /*isWhole=*/false);
  std::vector<int32_t> tokens;
  eachWord(text, [&](StringRef word) {
    auto found = numbers.find(word);
    tokens.push_back(found == numbers.end() ? unknown : found->second);
  });
  return tokens;
}

Expected<std::vector<int32_t>> Vocabulary::promptOf(StringRef text) const {
  if (!tokenizer)
    return tokensOf(text);
  auto tokens = tokenizer->encode(text, /*isWhole=*/true);
  while (tokens && tokens->size() > 1 && tokens->back() == end())
    tokens->pop_back();
  return tokens;
}

Expected<std::vector<int32_t>> Vocabulary::rowOf(StringRef text) const {
  auto tokens = tokenizer ? tokenizer->encode(text, /*isWhole=*/true) : tokensOf(text);
  if (tokens && (!tokenizer || tokens->empty() || tokens->back() != end()))
    tokens->push_back(end());
  return tokens;
}

Expected<std::vector<int32_t>> Vocabulary::sequenceOf(const TextLines &lines) const {
  std::vector<int32_t> tokens;
  for (int64_t line = 0; line < lines.count(); ++line) {
    auto row = rowOf(lines[line]);
    if (!row)
      return createStringError(formatv("{0}: {1}", lines.placeOf(line), toString(row.takeError())));
    append_range(tokens, *row);
  }
  return tokens;
}

Expected<HostTensor> Vocabulary::encode(const TextLines &rows) const {
  if (!isOfWords)
    return encodeLabels(rows);
  std::vector<std::vector<int32_t>> tokens;
  int64_t width = 1;
  for (int64_t row = 0; row < rows.count(); ++row) {
    auto made = rowOf(rows[row]);
    if (!made)
      return createStringError(formatv("{0}: {1}", rows.placeOf(row), toString(made.takeError())));
    width = std::max(width, int64_t(made->size()));
    tokens.push_back(std::move(*made));
  }
  auto tensor = HostTensor::create(rows.file(), ATTN_I32, {rows.count(), width});
  if (!tensor)
    return tensor.takeError();
  std::fill_n(tensor->integers(), tensor->count(), end());
  for (auto [row, values] : enumerate(tokens))
    copy(values, tensor->integers() + int64_t(row) * width);
  return tensor;
}

/// The first labels, for messages.
std::string Vocabulary::someEntries() const {
  constexpr size_t most = 8;
  std::string text;
  for (const std::string &entry : ArrayRef(entries).take_front(most))
    text += (text.empty() ? "" : ", ") + printable(entry);
  return entries.size() > most ? formatv("{0}, ... ({1} labels)", text, entries.size()).str() : text;
}

Expected<HostTensor> Vocabulary::encodeLabels(const TextLines &rows) const {
  HostTensor labels(ATTN_I32, {rows.count()});
  for (int64_t row = 0; row < rows.count(); ++row) {
    auto label = labelOf(rows, row);
    if (!label)
      return label.takeError();
    auto found = numbers.find(*label);
    if (found == numbers.end())
      return createStringError(formatv("{0}: has the label '{1}', which is not in the vocabulary: {2}{3}",
                                       rows.placeOf(row), printable(*label), someEntries(),
                                       printable(didYouMean(label->str(), entries))));
    labels.integers()[row] = found->second;
  }
  return labels;
}

//===- Decoding ---------------------------------------------------------------------------------------------------===//

std::string Vocabulary::textOf(ArrayRef<int32_t> tokens) const {
  if (tokenizer)
    return tokenizer->decode(tokens);
  std::string text;
  for (int32_t token : tokens)
    text += (text.empty() ? "" : " ") + (*this)[token].str();
  return text;
}

Error Vocabulary::outside(int64_t row, int32_t number) const {
  return createStringError(formatv("row {0} has the {1} {2}, outside of the vocabulary of {3}", row,
                                   isOfWords ? "token" : "label", number, size()));
}

Expected<std::string> Vocabulary::decode(const HostTensor &tensor) const {
  if (tensor.dtype != ATTN_I32 || (isOfWords && tensor.shape.empty()))
    return createStringError(isOfWords ? "words are written from tokens, i32[.., n]"
                                       : "labels are written from integers, i32[..]");
  std::string text;
  int64_t width = isOfWords ? tensor.shape.back() : 1;
  for (int64_t row = 0, rows = width == 0 ? 0 : tensor.count() / width; row < rows; ++row) {
    ArrayRef<int32_t> tokens(tensor.integers() + row * width, size_t(width));
    if (isOfWords)
      tokens = tokens.take_until([&](int32_t token) { return token == end(); });
    for (int32_t token : tokens)
      if (token < 0 || token >= size())
        return outside(row, token);
    std::string line = textOf(tokens);
    std::ranges::replace(line, '\n', ' ');
    text += line + "\n";
  }
  return text;
}

} // namespace attnc
