//===- Printing.h - output to streams that may be closed or full --------------------------------------------------===//
//
// fmt::print throws where a stream cannot be written, so that a full disk or a terminal that is gone would end the
// process. This writes what it can: the stream remembers the error, and attnc.cpp reports that of the standard output
// when the command has ended.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <utility>

namespace attnc {

template <typename... Arguments>
void printTo(std::FILE *stream, fmt::format_string<Arguments...> format, Arguments &&...arguments) {
  std::string text = fmt::format(format, std::forward<Arguments>(arguments)...);
  std::fwrite(text.data(), 1, text.size(), stream);
}

} // namespace attnc
