#include "tools/attnc/Tensors/Words.h"
#include "compiler/Diagnostics/Utf8.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace llvm;

namespace attnc {

namespace {
enum class Class { Space, Letter, Apostrophe, Mark };

/// The code points from `first` to `last`.
struct Range {
  char32_t first, last;
};
} // namespace

// Outside of ASCII, in ascending order.
static constexpr Range spaces[] = {{0x80, 0xA0},     {0x1680, 0x1680}, {0x2000, 0x200B}, {0x2028, 0x2029},
                                   {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}, {0xFEFF, 0xFEFF}};
static constexpr Range marks[] = {
    {0xA1, 0xA9},     {0xAB, 0xB1},     {0xB4, 0xB4},     {0xB6, 0xB8},      {0xBB, 0xBB},     {0xBF, 0xBF},
    {0xD7, 0xD7},     {0xF7, 0xF7},     {0x37E, 0x37E},   {0x387, 0x387},    {0x55A, 0x55F},   {0x589, 0x58A},
    {0x5BE, 0x5BE},   {0x5C0, 0x5C0},   {0x5C3, 0x5C3},   {0x5F3, 0x5F4},    {0x60C, 0x60D},   {0x61B, 0x61F},
    {0x66A, 0x66D},   {0x6D4, 0x6D4},   {0x964, 0x965},   {0xE3F, 0xE3F},    {0x2010, 0x2027}, {0x2030, 0x205E},
    {0x20A0, 0x20CF}, {0x2190, 0x2BFF}, {0x2E00, 0x2E7F}, {0x3001, 0x3004},  {0x3008, 0x3020}, {0x3030, 0x3030},
    {0x30FB, 0x30FB}, {0xFE10, 0xFE1F}, {0xFE30, 0xFE6F}, {0xFF01, 0xFF0F},  {0xFF1A, 0xFF20}, {0xFF3B, 0xFF40},
    {0xFF5B, 0xFF65}, {0xFFE0, 0xFFEE}, {0xFFFC, 0xFFFD}, {0x1F000, 0x1FAFF}};

static bool isIn(ArrayRef<Range> ranges, char32_t point) {
  const Range *found = std::ranges::lower_bound(ranges, point, {}, &Range::last);
  return found != ranges.end() && point >= found->first;
}

/// The class of the character in `bytes`.
static Class classOf(StringRef bytes) {
  constexpr char32_t typographicApostrophe = 0x2019;
  auto first = static_cast<unsigned char>(bytes.front());
  if (first < 0x80) {
    if (isAlnum(bytes.front()))
      return Class::Letter;
    if (bytes.front() == '\'')
      return Class::Apostrophe;
    return first > ' ' && first < 0x7F ? Class::Mark : Class::Space;
  }
  char32_t point = first & (0xFF >> (bytes.size() + 1));
  for (char each : bytes.drop_front())
    point = point << 6 | (static_cast<unsigned char>(each) & 0x3F);
  if (point == typographicApostrophe)
    return Class::Apostrophe;
  return isIn(spaces, point) ? Class::Space : isIn(marks, point) ? Class::Mark : Class::Letter;
}

/// The first character of a text that is not empty; a byte that is not UTF-8 is a character.
static StringRef firstOf(StringRef text) { return text.take_front(std::max<size_t>(characterLength(text), 1)); }

static bool beginsWithLetter(StringRef text) { return !text.empty() && classOf(firstOf(text)) == Class::Letter; }

/// The number of bytes of the word at the start of a text, which begins with a letter.
static size_t lengthOfWord(StringRef text) {
  size_t length = 0;
  while (length < text.size()) {
    StringRef rest = text.drop_front(length), character = firstOf(rest);
    Class kind = classOf(character);
    bool isInside = kind == Class::Apostrophe && beginsWithLetter(rest.drop_front(character.size()));
    if (kind != Class::Letter && !isInside)
      break;
    length += character.size();
  }
  return length;
}

void eachWord(StringRef text, function_ref<void(StringRef word)> visit) {
  while (!text.empty()) {
    StringRef character = firstOf(text);
    size_t length = character.size();
    Class kind = classOf(character);
    if (kind == Class::Letter)
      length = lengthOfWord(text);
    else if (text.starts_with(unknownWord))
      length = StringRef(unknownWord).size();
    if (kind != Class::Space)
      visit(text.take_front(length));
    text = text.drop_front(length);
  }
}

bool isOneWord(StringRef text) {
  bool isWhole = false;
  eachWord(text, [&](StringRef word) { isWhole = word == text; });
  return isWhole;
}

} // namespace attnc
