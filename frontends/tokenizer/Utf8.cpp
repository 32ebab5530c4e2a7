#include "frontends/tokenizer/Utf8.h"

#include <cstring>

namespace attnc::tokenizer {

namespace {
/// The bytes at the start of a text that are one valid character, or one invalid part.
struct Part {
  size_t bytes;
  bool isValid;
};
} // namespace

/// The first part of a text of `left` > 0 bytes. The second byte of a sequence has a smaller range after some lead
/// bytes, which excludes overlong forms, surrogates and numbers above U+10FFFF.
static Part firstPart(const char *text, size_t left) {
  auto byte = [&](size_t at) { return uint8_t(text[at]); };
  uint8_t lead = byte(0);
  if (lead < 0x80)
    return {1, true};
  size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  if (length == 0)
    return {1, false};
  uint8_t least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  uint8_t most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  if (left < 2 || byte(1) < least || byte(1) > most)
    return {1, false};
  for (size_t at = 2; at < length; ++at)
    if (at >= left || (byte(at) & 0xC0) != 0x80)
      return {at, false};
  return {length, true};
}

/// Number of ASCII bytes at the start, counted in groups of eight; the bytes after them may be ASCII too.
static size_t leadingAscii(std::string_view text) {
  size_t at = 0;
  for (uint64_t bytes; at + sizeof bytes <= text.size(); at += sizeof bytes) {
    std::memcpy(&bytes, text.data() + at, sizeof bytes);
    if (bytes & 0x8080808080808080)
      break;
  }
  return at;
}

/// Number of valid bytes at the start.
static size_t validPrefix(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    at += leadingAscii(text.substr(at));
    for (size_t group = at + 8; at < text.size() && at < group;) {
      Part part = firstPart(text.data() + at, text.size() - at);
      if (!part.isValid)
        return at;
      at += part.bytes;
    }
  }
  return at;
}

Character characterBefore(std::string_view text, size_t end) {
  size_t begin = end - 1;
  while (begin > 0 && (uint8_t(text[begin]) & 0xC0) == 0x80)
    --begin;
  return characterAt(text, begin);
}

void appendCharacter(std::string &text, char32_t codePoint) {
  auto append = [&](char32_t byte) { text += char(uint8_t(byte)); };
  if (codePoint < 0x80) {
    append(codePoint);
  } else if (codePoint < 0x800) {
    append(0xC0 | codePoint >> 6);
    append(0x80 | (codePoint & 0x3F));
  } else if (codePoint < 0x10000) {
    append(0xE0 | codePoint >> 12);
    append(0x80 | (codePoint >> 6 & 0x3F));
    append(0x80 | (codePoint & 0x3F));
  } else {
    append(0xF0 | codePoint >> 18);
    append(0x80 | (codePoint >> 12 & 0x3F));
    append(0x80 | (codePoint >> 6 & 0x3F));
    append(0x80 | (codePoint & 0x3F));
  }
}

bool isAscii(std::string_view text) {
  for (size_t at = leadingAscii(text); at < text.size(); ++at)
    if (uint8_t(text[at]) >= 0x80)
      return false;
  return true;
}

bool isUtf8(std::string_view text) { return validPrefix(text) == text.size(); }

std::string repaired(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    size_t valid = validPrefix(text);
    result += text.substr(0, valid);
    text.remove_prefix(valid);
    if (!text.empty()) {
      result += replacementCharacter;
      text.remove_prefix(firstPart(text.data(), text.size()).bytes);
    }
  }
  return result;
}

} // namespace attnc::tokenizer
