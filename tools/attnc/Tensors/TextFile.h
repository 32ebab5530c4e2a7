//===- TextFile.h - lines of text in files, and tensors of their characters ---------------------------------------===//
//
// The text is UTF-8, with or without a byte order mark; lines end in "\n" or "\r\n". In a tensor of characters, each
// row is a line. The tokens of a row are the code points of its characters, followed by at least one zero: "ab\nc\n" is
// [[97, 98, 0], [99, 0, 0]].
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Tensors/TensorFile.h"

namespace attnc {

/// The lines of a text, without their line ends. Owns the text. Lines are numbered from 0.
class TextLines {
public:
  /// Reads a file. An error if the file is not open or cannot be read, or if a line is not UTF-8.
  static llvm::Expected<TextLines> read(InputFile &file);
  /// The lines of `text`; an error if one is not UTF-8. `name` is the name of the text in messages, usually a path.
  static llvm::Expected<TextLines> split(std::string name, std::string text);
  /// All of `text`, such as a value of the command line, as one line; an error if it is not UTF-8.
  static llvm::Expected<TextLines> oneLine(std::string name, std::string text);

  const std::string &file() const { return name; } ///< name of the text: the path for read()
  int64_t count() const { return int64_t(ranges.size()); }
  /// The line with this number, which refers to the memory of this object.
  llvm::StringRef operator[](int64_t line) const {
    return llvm::StringRef(text).substr(ranges[size_t(line)].first, ranges[size_t(line)].second);
  }
  /// The place of a line for messages: "file:7" for line 6; the name alone for oneLine().
  std::string placeOf(int64_t line) const { return isOneLine ? name : name + ":" + std::to_string(line + 1); }

private:
  std::string name, text;
  bool isOneLine = false;
  std::vector<std::pair<size_t, size_t>> ranges; ///< first byte and number of bytes of each line
};

/// True if the path ends in .txt.
bool isText(llvm::StringRef path);
/// The lines of an open file as code points, i32[lines, characters of the longest line + 1]. An error if the file
/// cannot be read, is not UTF-8 or has the character 0, or if there is not enough memory.
llvm::Expected<HostTensor> readLines(InputFile &file);
/// A text with one line for each row of `tokens`, code points i32[.., n]; a row ends before its first zero. No lines if
/// n is 0. Invalid code points become U+FFFD. An error for another element type, or for a scalar.
llvm::Expected<std::string> linesOf(const HostTensor &tokens);
/// The character with this code point, in UTF-8; U+FFFD for an invalid code point.
std::string character(int32_t codePoint);

} // namespace attnc
