//===- Utf8.h - validation of UTF-8 ----------------------------------------------------------------------------===//
//
// UTF-8 as defined in RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <string_view>

namespace attnc {

/// The length of the character at the start of `bytes`, or 0 if it is invalid. `bytes` must not be empty.
size_t characterLength(std::string_view bytes);

/// The offset of the first NUL or of the first byte that is not part of a character; npos if there is none.
size_t findNonText(std::string_view bytes);

} // namespace attnc
