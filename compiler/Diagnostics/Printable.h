//===- Printable.h - texts of others in messages ---------------------------------------------------------------===//
//
// Names and texts that come from files may hold anything, such as what moves a terminal's cursor or colours it. Here
// control characters, and bytes that are not UTF-8, become "\x1b". (The runtime has the same in attn_fail.)
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>

namespace attnc {

/// A name or a text from a file: what is longer than `most` bytes has "..." for its middle.
std::string printable(std::string_view text, size_t most = 120);

/// A message of any length, whose ends of lines and tabs are its own.
std::string printableLines(std::string_view message);

} // namespace attnc
