//===- Utf8.h - characters in bytes ----------------------------------------------------------------------------===//
//
// UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing above U+10FFFF.
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <string_view>

namespace attnc {

/// The number of bytes of the character at the start of `bytes`, or 0 where there is none. `bytes` is not empty.
size_t characterLength(std::string_view bytes);

/// The offset of the first byte that no text holds: a NUL, or one that is not part of a character; npos in a text.
size_t findNonText(std::string_view bytes);

} // namespace attnc
