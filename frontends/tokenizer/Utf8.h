//===- Utf8.h - UTF-8: characters, repair of invalid text ---------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace attnc::tokenizer {

/// U+FFFD, which replaces invalid parts of a text.
inline constexpr std::string_view replacementCharacter = "\xEF\xBF\xBD";

struct Character {
  char32_t codePoint;
  size_t bytes; ///< number of bytes in UTF-8
};

/// The character that starts at byte `at` of `text`, which is valid UTF-8.
inline Character characterAt(std::string_view text, size_t at) {
  auto byte = [&](size_t offset) { return char32_t(uint8_t(text[at + offset])); };
  char32_t lead = byte(0);
  if (lead < 0x80)
    return {lead, 1};
  if (lead < 0xE0)
    return {(lead & 0x1F) << 6 | (byte(1) & 0x3F), 2};
  if (lead < 0xF0)
    return {(lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F), 3};
  return {(lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F), 4};
}

/// The character that ends before byte `end` > 0 of `text`, which is valid UTF-8.
Character characterBefore(std::string_view text, size_t end);

/// Number of bytes of a valid UTF-8 character, by its first byte.
inline size_t characterBytes(char lead) {
  uint8_t byte = uint8_t(lead);
  return byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

/// Appends the character with this code point.
void appendCharacter(std::string &text, char32_t codePoint);

/// Whether all of `text` is ASCII.
bool isAscii(std::string_view text);
/// Whether `text` is valid UTF-8.
bool isUtf8(std::string_view text);
/// `text` with each maximal invalid part replaced by U+FFFD: a sequence that ends too early is one part, and each other
/// byte that is not part of a character is one. Equal to what Rust's `from_utf8_lossy` and JavaScript's TextDecoder do.
std::string repaired(std::string_view text);

} // namespace attnc::tokenizer
