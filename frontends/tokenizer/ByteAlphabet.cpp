#include "frontends/tokenizer/ByteAlphabet.h"
#include "frontends/tokenizer/Utf8.h"

#include <array>

namespace attnc::tokenizer {

namespace {
struct Alphabet {
  std::array<std::string, 256> characters;
  std::array<int, 512> bytes; ///< by code point; -1 for characters outside of the alphabet

  Alphabet() {
    bytes.fill(-1);
    char32_t next = 256;
    for (char32_t byte = 0; byte < 256; ++byte) {
      bool isVisible = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte != 0xAD);
      char32_t character = isVisible ? byte : next++;
      appendCharacter(characters[byte], character);
      bytes[character] = int(byte);
    }
  }
};
} // namespace

static const Alphabet &alphabet() {
  static const Alphabet instance;
  return instance;
}

const std::string &characterOfByte(uint8_t byte) { return alphabet().characters[byte]; }

std::string charactersOfBytes(std::string_view text) {
  std::string result;
  for (char byte : text)
    result += characterOfByte(uint8_t(byte));
  return result;
}

std::optional<std::string> bytesOfCharacters(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    Character character = characterAt(text, at);
    int byte = character.codePoint < 512 ? alphabet().bytes[character.codePoint] : -1;
    if (byte < 0)
      return std::nullopt;
    result += char(uint8_t(byte));
    at += character.bytes;
  }
  return result;
}

} // namespace attnc::tokenizer
