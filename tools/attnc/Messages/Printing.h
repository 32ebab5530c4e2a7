//===- Printing.h - output to streams that may be closed or full --------------------------------------------------===//
//
// fmt::print throws if a stream cannot be written, so a full disk or a closed terminal would end the process. printTo
// ignores the error, which `stream` records (std::ferror); attnc.cpp reports an error of standard output at the end of
// the command.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace attnc {

/// Formats `arguments` by `format`, and writes the text to `stream`.
template <typename... Arguments>
void printTo(std::FILE *stream, fmt::format_string<Arguments...> format, Arguments &&...arguments) {
  std::string text = fmt::format(format, std::forward<Arguments>(arguments)...);
  std::fwrite(text.data(), 1, text.size(), stream);
}

} // namespace attnc
