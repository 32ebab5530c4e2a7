#include "frontends/tokenizer/PrecompiledMap.h"
#include "frontends/tokenizer/UnicodeClasses.h"
#include "frontends/tokenizer/Utf8.h"

#include <cstring>

namespace attnc::tokenizer {

static constexpr size_t mostClusterBytes = 5; ///< clusters of more bytes are replaced character by character

static int sextetOf(char digit) {
  if (digit >= 'A' && digit <= 'Z')
    return digit - 'A';
  if (digit >= 'a' && digit <= 'z')
    return digit - 'a' + 26;
  if (digit >= '0' && digit <= '9')
    return digit - '0' + 52;
  return digit == '+' ? 62 : digit == '/' ? 63 : -1;
}

/// The bytes of a text in base 64; nothing if another character than its digits and the padding occurs.
static std::optional<std::string> bytesOfBase64(std::string_view text) {
  std::string result;
  uint32_t bits = 0;
  int count = 0;
  while (text.ends_with('='))
    text.remove_suffix(1);
  for (char digit : text) {
    int sextet = sextetOf(digit);
    if (sextet < 0)
      return std::nullopt;
    bits = bits << 6 | uint32_t(sextet);
    count += 6;
    if (count >= 8) {
      count -= 8;
      result += char(uint8_t(bits >> count));
    }
  }
  return result;
}

PrecompiledMap::PrecompiledMap(const JsonEntry &entry) {
  JsonEntry map = entry["precompiled_charsmap"];
  auto bytes = bytesOfBase64(map.text());
  uint32_t unitBytes = 0;
  if (bytes && bytes->size() >= sizeof unitBytes)
    std::memcpy(&unitBytes, bytes->data(), sizeof unitBytes);
  if (!bytes || unitBytes == 0 || unitBytes % sizeof(uint32_t) || unitBytes > bytes->size() - sizeof unitBytes)
    map.fail("the map of SentencePiece in base 64: a number of bytes, a double array, and texts");
  units.resize(unitBytes / sizeof(uint32_t));
  std::memcpy(units.data(), bytes->data() + sizeof unitBytes, unitBytes);
  replacements = bytes->substr(sizeof unitBytes + unitBytes);
  if (!isUtf8(replacements))
    map.failWith("found replacements that are not UTF-8");
  for (size_t codePoint = 0; codePoint < isChanged.size(); ++codePoint) {
    char character = char(codePoint);
    isChanged[codePoint] = replacementOf({&character, 1}).has_value();
  }
}

/// The replacement of the shortest prefix that has one. A unit of the double array has a label in bits 0 to 7 and 31,
/// the flag of a leaf in bit 8, and an offset in bits 10 to 30, which bit 9 shifts by 8; a leaf has a value in bits 0
/// to 30.
std::optional<std::string_view> PrecompiledMap::replacementOf(std::string_view part) const {
  size_t place = 0;
  auto offsetOf = [](uint32_t unit) { return size_t(unit >> 10) << (unit >> 6 & 8); };
  place ^= offsetOf(units[0]);
  for (char byte : part) {
    place ^= uint8_t(byte);
    if (byte == 0 || place >= units.size() || (units[place] & 0x800000FF) != uint8_t(byte))
      return std::nullopt;
    uint32_t unit = units[place];
    place ^= offsetOf(unit);
    if (!(unit >> 8 & 1))
      continue;
    size_t start = place < units.size() ? units[place] & 0x7FFFFFFF : replacements.size();
    // In a damaged map, the text may begin outside, or within a character.
    if (start >= replacements.size() || (uint8_t(replacements[start]) & 0xC0) == 0x80)
      return std::string_view();
    return std::string_view(replacements.c_str() + start);
  }
  return std::nullopt;
}

void PrecompiledMap::appendCharacters(std::string &result, std::string_view cluster) const {
  for (size_t at = 0; at < cluster.size();) {
    size_t bytes = characterBytes(cluster[at]);
    std::string_view character = cluster.substr(at, bytes);
    result += replacementOf(character).value_or(character);
    at += bytes;
  }
}

void PrecompiledMap::appendCluster(std::string &result, std::string_view cluster) const {
  auto replacement = cluster.size() <= mostClusterBytes ? replacementOf(cluster) : std::nullopt;
  if (replacement)
    result += *replacement;
  else
    appendCharacters(result, cluster);
}

void PrecompiledMap::normalize(std::string &text, MatchMemory &) const {
  std::string result;
  result.reserve(text.size());
  auto isAsciiAt = [&](size_t at) { return at >= text.size() || uint8_t(text[at]) < 0x80; };
  std::string_view all = text;
  for (size_t begin = 0, end; begin < text.size(); begin = end) {
    end = begin + characterBytes(text[begin]);
    if (isAsciiAt(begin) && isAsciiAt(end) && text[begin] != '\r') {
      if (isChanged[size_t(text[begin])])
        appendCluster(result, all.substr(begin, 1));
      else
        result += text[begin];
      continue;
    }
    int state = 0;
    Character character = characterAt(text, begin);
    while (end < text.size()) {
      Character next = characterAt(text, end);
      if (isGraphemeBoundary(character.codePoint, next.codePoint, state))
        break;
      character = next;
      end += next.bytes;
    }
    appendCluster(result, all.substr(begin, end - begin));
  }
  text = std::move(result);
}

} // namespace attnc::tokenizer
