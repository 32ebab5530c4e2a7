#include "frontends/tokenizer/Normalizer.h"
#include "frontends/tokenizer/UnicodeClasses.h"
#include "frontends/tokenizer/Utf8.h"

#include <array>

namespace attnc::tokenizer {

namespace {
class BertNormalizer : public Normalizer {
public:
  explicit BertNormalizer(const JsonEntry &entry)
      : isCleaned(entry["clean_text"].flag()), areIdeographsSpaced(entry["handle_chinese_chars"].flag()),
        isLowered(entry["lowercase"].flag()), areAccentsStripped(entry["strip_accents"].flagOr(isLowered)) {
    for (char32_t codePoint = 0; codePoint < ascii.size(); ++codePoint)
      ascii[codePoint] = asciiResult(char(codePoint));
  }

  void normalize(std::string &text, MatchMemory &) const override {
    if (isAscii(text))
      return normalizeAscii(text);
    std::string result;
    for (size_t at = 0; at < text.size();) {
      Character character = characterAt(text, at);
      appendCleaned(result, text.substr(at, character.bytes), character.codePoint);
      at += character.bytes;
    }
    text = areAccentsStripped ? withoutAccents(normalised(result, UnicodeForm::NFD)) : std::move(result);
    if (!isLowered)
      return;
    result.clear();
    for (size_t at = 0; at < text.size(); at += characterBytes(text[at]))
      appendLowerCase(result, characterAt(text, at).codePoint);
    text = std::move(result);
  }

private:
  static constexpr char removed = '\x80';

  /// The result for a character of ASCII, or `removed`.
  char asciiResult(char character) const {
    bool isSpace = character >= '\t' && character <= '\r' && character != '\v' && character != '\f';
    if (isCleaned && isSpace)
      return ' ';
    if (isCleaned && isControl(char32_t(character)))
      return removed;
    return isLowered && character >= 'A' && character <= 'Z' ? char(character + 0x20) : character;
  }

  void normalizeAscii(std::string &text) const {
    size_t end = 0;
    for (char character : text) {
      text[end] = ascii[uint8_t(character)];
      end += text[end] != removed;
    }
    text.resize(end);
  }

  void appendCleaned(std::string &result, std::string_view text, char32_t codePoint) const {
    bool isSpace = codePoint == '\t' || codePoint == '\n' || codePoint == '\r' || isWhitespace(codePoint);
    bool isRemoved =
        codePoint == 0xFFFD || (isControl(codePoint) && codePoint != '\t' && codePoint != '\n' && codePoint != '\r');
    if (isCleaned && isRemoved)
      return;
    if (isCleaned && isSpace)
      result += ' ';
    else if (areIdeographsSpaced && isIdeograph(codePoint))
      result += " " + std::string(text) + " ";
    else
      result += text;
  }

  static std::string withoutAccents(std::string_view text) {
    std::string result;
    for (size_t at = 0; at < text.size();) {
      Character character = characterAt(text, at);
      if (character.codePoint < 0x80 || !isNonspacingMark(character.codePoint))
        result += text.substr(at, character.bytes);
      at += character.bytes;
    }
    return result;
  }

  bool isCleaned, areIdeographsSpaced, isLowered, areAccentsStripped;
  std::array<char, 0x80> ascii;
};
} // namespace

std::unique_ptr<Normalizer> readBertNormalizer(const JsonEntry &entry) {
  return std::make_unique<BertNormalizer>(entry);
}

} // namespace attnc::tokenizer
