#include "frontends/tokenizer/UnicodeClasses.h"
#include "frontends/tokenizer/Utf8.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <utf8proc.h>

namespace attnc::tokenizer {

static utf8proc_category_t categoryOf(char32_t codePoint) { return utf8proc_category(utf8proc_int32_t(codePoint)); }

static bool isBetween(char32_t codePoint, char32_t first, char32_t last) {
  return codePoint >= first && codePoint <= last;
}

namespace {
struct CodePoints {
  char32_t first, last;
};
} // namespace

#define RANGE(FIRST, LAST) {FIRST, LAST},
static constexpr CodePoints otherPunctuation[] = {
#define PUNCTUATION RANGE
#include "frontends/tokenizer/UnicodeDifferences.def"
};
static constexpr CodePoints otherNumeric[] = {
#define NUMERIC RANGE
#include "frontends/tokenizer/UnicodeDifferences.def"
};
static constexpr CodePoints otherMarks[] = {
#define MARK RANGE
#include "frontends/tokenizer/UnicodeDifferences.def"
};
static constexpr CodePoints otherNonspacingMarks[] = {
#define NONSPACING_MARK RANGE
#include "frontends/tokenizer/UnicodeDifferences.def"
};
static constexpr CodePoints otherControl[] = {
#define CONTROL RANGE
#include "frontends/tokenizer/UnicodeDifferences.def"
};
static constexpr CodePoints otherWords[] = {
#define WORD RANGE
#include "frontends/tokenizer/UnicodeDifferences.def"
};
#undef RANGE

/// Whether a character belongs to a class: `isMember` by utf8proc, and otherwise if it is in the list of differences.
template <size_t count> static bool corrected(bool isMember, char32_t codePoint, const CodePoints (&others)[count]) {
  if (codePoint < others[0].first)
    return isMember;
  const CodePoints *after = std::ranges::upper_bound(others, codePoint, {}, &CodePoints::first);
  return isMember != (codePoint <= after[-1].last);
}

bool isWhitespace(char32_t codePoint) {
  if (codePoint < 0x80)
    return codePoint == ' ' || isBetween(codePoint, '\t', '\r');
  return codePoint == 0x85 || codePoint == 0xA0 || codePoint == 0x1680 || isBetween(codePoint, 0x2000, 0x200A) ||
         codePoint == 0x2028 || codePoint == 0x2029 || codePoint == 0x202F || codePoint == 0x205F ||
         codePoint == 0x3000;
}

bool isPunctuation(char32_t codePoint) {
  if (codePoint < 0x80)
    return isBetween(codePoint, '!', '/') || isBetween(codePoint, ':', '@') || isBetween(codePoint, '[', '`') ||
           isBetween(codePoint, '{', '~');
  utf8proc_category_t category = categoryOf(codePoint);
  return corrected(category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO, codePoint, otherPunctuation);
}

bool isNumeric(char32_t codePoint) {
  if (codePoint < 0x80)
    return isBetween(codePoint, '0', '9');
  utf8proc_category_t category = categoryOf(codePoint);
  return corrected(category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO, codePoint, otherNumeric);
}

bool isMark(char32_t codePoint) {
  utf8proc_category_t category = categoryOf(codePoint);
  return corrected(category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME, codePoint, otherMarks);
}

bool isNonspacingMark(char32_t codePoint) {
  return corrected(categoryOf(codePoint) == UTF8PROC_CATEGORY_MN, codePoint, otherNonspacingMarks);
}

bool isControl(char32_t codePoint) {
  utf8proc_category_t category = categoryOf(codePoint);
  return corrected(category >= UTF8PROC_CATEGORY_CC && category <= UTF8PROC_CATEGORY_CO &&
                       category != UTF8PROC_CATEGORY_CS,
                   codePoint, otherControl);
}

bool isIdeograph(char32_t codePoint) {
  return isBetween(codePoint, 0x4E00, 0x9FFF) || isBetween(codePoint, 0x3400, 0x4DBF) ||
         isBetween(codePoint, 0x20000, 0x2A6DF) || isBetween(codePoint, 0x2A700, 0x2B73F) ||
         isBetween(codePoint, 0x2B740, 0x2B81F) || isBetween(codePoint, 0x2B920, 0x2CEAF) ||
         isBetween(codePoint, 0xF900, 0xFAFF) || isBetween(codePoint, 0x2F800, 0x2FA1F);
}

/// The symbols that are alphabetic: circled, squared and parenthesised Latin letters.
static bool isLetterSymbol(char32_t codePoint) {
  return isBetween(codePoint, 0x24B6, 0x24E9) || isBetween(codePoint, 0x1F130, 0x1F149) ||
         isBetween(codePoint, 0x1F150, 0x1F169) || isBetween(codePoint, 0x1F170, 0x1F189);
}

bool isWordCharacter(char32_t codePoint) {
  if (codePoint < 0x80)
    return isBetween(codePoint | 0x20, 'a', 'z') || isBetween(codePoint, '0', '9') || codePoint == '_';
  utf8proc_category_t category = categoryOf(codePoint);
  bool isWord = (category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_NL) ||
                category == UTF8PROC_CATEGORY_PC || codePoint == 0x200C || codePoint == 0x200D ||
                isLetterSymbol(codePoint);
  return corrected(isWord, codePoint, otherWords);
}

void appendLowerCase(std::string &text, char32_t codePoint) {
  if (codePoint < 0x80)
    text += char(isBetween(codePoint, 'A', 'Z') ? codePoint + 0x20 : codePoint);
  else if (codePoint == 0x130)
    text += "i\xCC\x87";
  else
    appendCharacter(text, char32_t(utf8proc_tolower(utf8proc_int32_t(codePoint))));
}

bool isGraphemeBoundary(char32_t before, char32_t after, int &state) {
  return utf8proc_grapheme_break_stateful(utf8proc_int32_t(before), utf8proc_int32_t(after), &state);
}

static utf8proc_option_t optionsOf(UnicodeForm form) {
  bool isComposed = form == UnicodeForm::NFC || form == UnicodeForm::NFKC;
  bool isCompatible = form == UnicodeForm::NFKC || form == UnicodeForm::NFKD;
  return utf8proc_option_t(UTF8PROC_STABLE | (isComposed ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE) |
                           (isCompatible ? UTF8PROC_COMPAT : 0));
}

/// Characters of ASCII have no decomposition, and none is the second character of a composition. So only characters
/// outside of ASCII are normalised, each run of them with the character before it.
std::string normalised(std::string_view text, UnicodeForm form) {
  std::string result;
  result.reserve(text.size());
  auto isAsciiAt = [&](size_t at) { return uint8_t(text[at]) < 0x80; };
  for (size_t at = 0; at < text.size();) {
    size_t begin = at;
    while (begin < text.size() && isAsciiAt(begin))
      ++begin;
    size_t end = begin;
    while (end < text.size() && !isAsciiAt(end))
      ++end;
    begin -= begin > at && end > begin;
    result += text.substr(at, begin - at);
    at = end;
    if (begin == end)
      continue;
    utf8proc_uint8_t *run = nullptr;
    utf8proc_ssize_t bytes = utf8proc_map(reinterpret_cast<const utf8proc_uint8_t *>(text.data() + begin),
                                          utf8proc_ssize_t(end - begin), &run, optionsOf(form));
    std::unique_ptr<utf8proc_uint8_t, void (*)(void *)> owner(run, std::free);
    if (bytes < 0)
      throw std::bad_alloc();
    result.append(reinterpret_cast<const char *>(run), size_t(bytes));
  }
  return result;
}

} // namespace attnc::tokenizer
