//===- Utf8.h - validation of UTF-8 -------------------------------------------------------------------------------===//
//
// UTF-8 as defined in RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <string_view>

namespace attnc {

/// Returns the number of bytes of the character at the start of `bytes`, or 0 if no valid character is there. NUL is a
/// character of one byte. `bytes` must not be empty.
size_t characterLength(std::string_view bytes);

/// Returns the offset of the first NUL or of the first byte that starts no valid character, whichever comes first; npos
/// if there is neither.
size_t findNonText(std::string_view bytes);

} // namespace attnc
