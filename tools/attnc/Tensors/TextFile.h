//===- TextFile.h - lines of text in files, and tensors of their characters -------------------------------------===//
//
// The text is UTF-8, with or without a byte order mark; lines end in "\n" or "\r\n". As a tensor of characters, a row
// is a line, its tokens are the code points of the characters, followed by at least one zero: "ab\nc\n" is
// [[97, 98, 0], [99, 0, 0]].
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Tensors/TensorFile.h"

namespace attnc {

/// The lines of a text, without their ends.
class TextLines {
public:
  /// Fails if the file cannot be read, or if a line is not UTF-8.
  static llvm::Expected<TextLines> read(InputFile &file);
  /// The lines of `text`; `name` is for messages.
  static llvm::Expected<TextLines> split(std::string name, std::string text);
  /// A text that is one line, such as a value of the command line.
  static llvm::Expected<TextLines> oneLine(std::string name, std::string text);

  const std::string &file() const { return name; }
  int64_t count() const { return int64_t(ranges.size()); }
  llvm::StringRef operator[](int64_t line) const {
    return llvm::StringRef(text).substr(ranges[size_t(line)].first, ranges[size_t(line)].second);
  }
  /// "file:7", or the name of one line, for messages.
  std::string placeOf(int64_t line) const { return isOneLine ? name : name + ":" + std::to_string(line + 1); }

private:
  std::string name, text;
  bool isOneLine = false;
  std::vector<std::pair<size_t, size_t>> ranges; ///< first byte and number of bytes of each line
};

/// True if the path ends in .txt.
bool isText(llvm::StringRef path);
/// The lines of a file as i32[lines, length of the longest line + 1].
llvm::Expected<HostTensor> readLines(InputFile &file);
/// The rows of i32[.., n] as lines; a row ends before its first zero.
llvm::Expected<std::string> linesOf(const HostTensor &tokens);
/// A code point in UTF-8; U+FFFD for an invalid one.
std::string character(int32_t codePoint);

} // namespace attnc
