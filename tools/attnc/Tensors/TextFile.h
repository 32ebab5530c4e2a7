//===- TextFile.h - tensors of characters in files of text ------------------------------------------------------===//
//
// A line is a row, a token is the code point of a character, and behind the end of a line there are zeros: one at
// least. "ab\nc\n" is [[97, 98, 0], [99, 0, 0]]. The text is UTF-8, with or without
// its mark; lines end in "\n" or "\r\n".
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Tensors/TensorFile.h"

namespace attnc {

/// Is the file's name one of text, that is, does it end in .txt?
bool isText(llvm::StringRef path);
/// The lines of a file: i32[lines, characters of the longest and one].
llvm::Expected<HostTensor> readLines(InputFile &file);
/// The rows of i32[.., n] as lines, each up to its first zero.
llvm::Expected<std::string> linesOf(const HostTensor &tokens);
/// The character of a code point, or U+FFFD in UTF-8 where there is none.
std::string character(int32_t codePoint);

} // namespace attnc
