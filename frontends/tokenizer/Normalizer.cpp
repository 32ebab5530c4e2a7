#include "frontends/tokenizer/Normalizer.h"
#include "frontends/tokenizer/ByteAlphabet.h"
#include "frontends/tokenizer/PrecompiledMap.h"
#include "frontends/tokenizer/UnicodeClasses.h"
#include "frontends/tokenizer/Utf8.h"

#include <stdexcept>

namespace attnc::tokenizer {

namespace {

class UnicodeNormalizer : public Normalizer {
public:
  explicit UnicodeNormalizer(UnicodeForm form) : form(form) {}
  void normalize(std::string &text, MatchMemory &) const override {
    if (!isAscii(text))
      text = normalised(text, form);
  }

private:
  UnicodeForm form;
};

/// Rewrites a text character by character. `append` appends the result for one character.
class CharacterNormalizer : public Normalizer {
public:
  explicit CharacterNormalizer(void (*append)(std::string &, char32_t)) : append(append) {}
  void normalize(std::string &text, MatchMemory &) const override {
    std::string result;
    for (size_t at = 0; at < text.size(); at += characterBytes(text[at]))
      append(result, characterAt(text, at).codePoint);
    text = std::move(result);
  }

private:
  void (*append)(std::string &, char32_t);
};

class StripNormalizer : public Normalizer {
public:
  StripNormalizer(bool left, bool right) : left(left), right(right) {}
  void normalize(std::string &text, MatchMemory &) const override {
    size_t begin = 0, end = text.size();
    while (left && begin < end && isWhitespace(characterAt(text, begin).codePoint))
      begin += characterBytes(text[begin]);
    while (right && begin < end) {
      Character last = characterBefore(text, end);
      if (!isWhitespace(last.codePoint))
        break;
      end -= last.bytes;
    }
    text = text.substr(begin, end - begin);
  }

private:
  bool left, right;
};

class PrependNormalizer : public Normalizer {
public:
  explicit PrependNormalizer(std::string prefix) : prefix(std::move(prefix)) {}
  void normalize(std::string &text, MatchMemory &) const override {
    if (!text.empty())
      text.insert(0, prefix);
  }

private:
  std::string prefix;
};

class ReplaceNormalizer : public Normalizer {
public:
  ReplaceNormalizer(Regex pattern, std::string content) : pattern(std::move(pattern)), content(std::move(content)) {}
  void normalize(std::string &text, MatchMemory &memory) const override {
    std::string result;
    std::string_view all = text;
    pattern.eachPart(all, memory, [&](Range part, bool isMatch) {
      result += isMatch ? std::string_view(content) : all.substr(part.begin, part.end - part.begin);
    });
    text = std::move(result);
  }

private:
  Regex pattern;
  std::string content;
};

class ByteLevelNormalizer : public Normalizer {
  void normalize(std::string &text, MatchMemory &) const override { text = charactersOfBytes(text); }
};

class NormalizerSequence : public Normalizer {
public:
  std::vector<std::unique_ptr<Normalizer>> parts;
  void normalize(std::string &text, MatchMemory &memory) const override {
    for (const auto &part : parts)
      part->normalize(text, memory);
  }
};

} // namespace

static void appendWithoutMark(std::string &text, char32_t codePoint) {
  if (!isMark(codePoint))
    appendCharacter(text, codePoint);
}

/// The normaliser of neural machine translation in SentencePiece: some control characters are removed, and white space
/// and other invisible characters become spaces.
static void appendNmt(std::string &text, char32_t codePoint) {
  bool isRemoved = (codePoint >= 1 && codePoint <= 8) || codePoint == 0xB || (codePoint >= 0xE && codePoint <= 0x1F) ||
                   codePoint == 0x7F || codePoint == 0x8F || codePoint == 0x9F;
  bool isSpace = codePoint == '\t' || codePoint == '\n' || codePoint == '\f' || codePoint == '\r' ||
                 codePoint == 0x1680 || (codePoint >= 0x200B && codePoint <= 0x200F) || codePoint == 0x2028 ||
                 codePoint == 0x2029 || codePoint == 0x2581 || codePoint == 0xFEFF || codePoint == 0xFFFD;
  if (!isRemoved)
    appendCharacter(text, isSpace ? ' ' : codePoint);
}

Regex readPattern(const JsonEntry &entry) {
  if (!entry.isObject() || (entry["String"].isNull() && entry["Regex"].isNull()))
    entry.fail("{\"String\": ...} or {\"Regex\": ...}");
  if (!entry["String"].isNull())
    return Regex::literal(entry["String"].text());
  try {
    return Regex(entry["Regex"].text());
  } catch (const std::invalid_argument &error) {
    entry["Regex"].failWith("found " + shown(entry["Regex"].text()) + ": " + error.what());
  }
}

static std::unique_ptr<Normalizer> readNormalizer(const JsonEntry &entry, int depth) {
  if (entry.isNull())
    return nullptr;
  switch (entry["type"].oneOf({"NFC", "NFD", "NFKC", "NFKD", "BertNormalizer", "Lowercase", "Strip", "StripAccents",
                               "Prepend", "Replace", "Precompiled", "Nmt", "ByteLevel", "Sequence"})) {
  case 0:
    return std::make_unique<UnicodeNormalizer>(UnicodeForm::NFC);
  case 1:
    return std::make_unique<UnicodeNormalizer>(UnicodeForm::NFD);
  case 2:
    return std::make_unique<UnicodeNormalizer>(UnicodeForm::NFKC);
  case 3:
    return std::make_unique<UnicodeNormalizer>(UnicodeForm::NFKD);
  case 4:
    return readBertNormalizer(entry);
  case 5:
    return std::make_unique<CharacterNormalizer>(appendLowerCase);
  case 6:
    return std::make_unique<StripNormalizer>(entry["strip_left"].flag(), entry["strip_right"].flag());
  case 7:
    return std::make_unique<CharacterNormalizer>(appendWithoutMark);
  case 8:
    return std::make_unique<PrependNormalizer>(entry["prepend"].text());
  case 9:
    return std::make_unique<ReplaceNormalizer>(readPattern(entry["pattern"]), entry["content"].text());
  case 10:
    if (entry["precompiled_charsmap"].isNull() || entry["precompiled_charsmap"].text().empty())
      return std::make_unique<NormalizerSequence>();
    return std::make_unique<PrecompiledMap>(entry);
  case 11:
    return std::make_unique<CharacterNormalizer>(appendNmt);
  case 12:
    return std::make_unique<ByteLevelNormalizer>();
  }
  if (depth == deepestSequence)
    entry.failWith("found more than " + std::to_string(deepestSequence) + " nested sequences");
  auto sequence = std::make_unique<NormalizerSequence>();
  for (const JsonEntry &part : entry["normalizers"].elements())
    if (auto normalizer = readNormalizer(part, depth + 1))
      sequence->parts.push_back(std::move(normalizer));
  return sequence;
}

std::unique_ptr<Normalizer> Normalizer::read(const JsonEntry &entry) { return readNormalizer(entry, 0); }

} // namespace attnc::tokenizer
