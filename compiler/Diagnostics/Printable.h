//===- Printable.h - escaping of untrusted text in messages -------------------------------------------------------===//
//
// Names and texts from files may contain terminal escape sequences. Control characters, and bytes that are not valid
// UTF-8, are replaced by escapes such as "\x1b". (The runtime does the same in attn_fail.)
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>

namespace attnc {

/// A name or a text from a file, escaped, newlines and tabs too. If the escaped text has more than `most` bytes, its
/// middle is replaced by "...", so that the result has at most `most` bytes; it is not cut if `most` is 3 or less.
std::string printable(std::string_view text, size_t most = 120);

/// A message of any length, escaped except for newlines and tabs.
std::string printableLines(std::string_view message);

} // namespace attnc
