//===- TextFile.h - tensors of characters in files of text ------------------------------------------------------===//
//
// A row is a line, its tokens are the code points of the characters, followed by at least one zero: "ab\nc\n" is
// [[97, 98, 0], [99, 0, 0]]. The text is UTF-8, with or without a byte order mark; lines end in "\n" or "\r\n".
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Tensors/TensorFile.h"

namespace attnc {

/// True if the path ends in .txt.
bool isText(llvm::StringRef path);
/// The lines of a file as i32[lines, length of the longest line + 1].
llvm::Expected<HostTensor> readLines(InputFile &file);
/// The rows of i32[.., n] as lines; a row ends before its first zero.
llvm::Expected<std::string> linesOf(const HostTensor &tokens);
/// A code point in UTF-8; U+FFFD for an invalid one.
std::string character(int32_t codePoint);

} // namespace attnc
