//===- ByteAlphabet.h - the characters of byte-level BPE ----------------------------------------------------------===//
//
// Byte-level BPE writes each byte of a text as one character: visible characters of Latin-1 stand for themselves, and
// the other 68 bytes are U+0100, U+0101, ... in their order. A space is thus written U+0120 (Radford et al. 2019).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace attnc::tokenizer {

/// The character of a byte, in UTF-8.
const std::string &characterOfByte(uint8_t byte);
/// The text with each byte replaced by its character.
std::string charactersOfBytes(std::string_view text);
/// The bytes of a text in this alphabet; nothing if another character occurs.
std::optional<std::string> bytesOfCharacters(std::string_view text);

} // namespace attnc::tokenizer
