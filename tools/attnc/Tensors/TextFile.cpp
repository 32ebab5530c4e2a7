#include "tools/attnc/Tensors/TextFile.h"
#include "compiler/Diagnostics/Utf8.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>

using namespace llvm;

namespace attnc {

bool isText(StringRef path) { return path.ends_with(".txt"); }

/// The number of code points of a line; null if the line is not UTF-8.
static std::optional<int64_t> countCodePoints(StringRef line) {
  int64_t count = 0;
  for (; !line.empty(); ++count) {
    size_t length = characterLength(line);
    if (length == 0)
      return std::nullopt;
    line = line.drop_front(length);
  }
  return count;
}

static Error notText(const std::string &name, int64_t line) {
  return createStringError(formatv("{0}:{1}: not UTF-8", name, line + 1));
}

/// Calls `visit` for each line, without its line end.
static Error eachLine(StringRef text, function_ref<Error(int64_t number, StringRef line)> visit) {
  text.consume_front("\xEF\xBB\xBF"); // byte order mark
  for (int64_t number = 0; !text.empty(); ++number) {
    StringRef line;
    std::tie(line, text) = text.split('\n');
    line.consume_back("\r");
    if (Error error = visit(number, line))
      return error;
  }
  return Error::success();
}

/// The text of a file; an error if there is no memory for it.
static Error readBytes(InputFile &file, std::string &text) {
  if (Error error = HostTensor::checkRoom(file.path(), int64_t(file.size())))
    return error;
  text.resize(file.size());
  if (!file.read(0, file.size(), text.data()))
    return createStringError(formatv("{0}: can't be read: {1}", file.path(), file.problem()));
  return Error::success();
}

Expected<TextLines> TextLines::read(InputFile &file) {
  std::string text;
  if (!file.isOpen())
    return createStringError(formatv("{0}: can't be read: {1}", file.path(), file.problem()));
  if (Error error = readBytes(file, text))
    return std::move(error);
  return split(file.path(), std::move(text));
}

Expected<TextLines> TextLines::split(std::string name, std::string text) {
  TextLines result;
  result.name = std::move(name);
  result.text = std::move(text);
  auto add = [&](int64_t number, StringRef line) -> Error {
    if (!countCodePoints(line))
      return notText(result.name, number);
    result.ranges.emplace_back(size_t(line.data() - result.text.data()), line.size());
    return Error::success();
  };
  if (Error error = eachLine(result.text, add))
    return std::move(error);
  return result;
}

Expected<TextLines> TextLines::oneLine(std::string name, std::string text) {
  if (!countCodePoints(text))
    return createStringError(name + ": not UTF-8");
  TextLines result;
  result.name = std::move(name);
  result.text = std::move(text);
  result.ranges = {{0, result.text.size()}};
  result.isOneLine = true;
  return result;
}

Expected<HostTensor> readLines(InputFile &file) {
  std::string text;
  if (Error error = readBytes(file, text))
    return std::move(error);
  int64_t lines = 0, longest = 0;
  auto measure = [&](int64_t number, StringRef line) -> Error {
    std::optional<int64_t> count = countCodePoints(line);
    if (!count)
      return notText(file.path(), number);
    if (line.contains('\0'))
      return createStringError(
          formatv("{0}:{1}: has the character 0, which marks the end of a line", file.path(), number + 1));
    lines = number + 1;
    longest = std::max(longest, *count);
    return Error::success();
  };
  if (Error error = eachLine(text, measure))
    return std::move(error);
  auto tokens = HostTensor::create(file.path(), ATTN_I32, {lines, longest + 1});
  if (!tokens)
    return tokens.takeError();
  auto write = [&](int64_t number, StringRef line) {
    auto *from = line.bytes_begin();
    auto *to = reinterpret_cast<UTF32 *>(tokens->integers() + number * (longest + 1));
    ConvertUTF8toUTF32(&from, line.bytes_end(), &to, to + longest, strictConversion);
    return Error::success();
  };
  if (Error error = eachLine(text, write))
    return std::move(error);
  return tokens;
}

std::string character(int32_t codePoint) {
  char bytes[4], *end = bytes;
  if (codePoint >= 0 && ConvertCodePointToUTF8(static_cast<unsigned>(codePoint), end)) // includes U+FEFF
    return {bytes, end};
  return "\xEF\xBF\xBD";
}

Expected<std::string> linesOf(const HostTensor &tokens) {
  if (tokens.dtype != ATTN_I32 || tokens.shape.empty())
    return createStringError("a text file is written from tokens, i32[.., n]");
  std::string text;
  int64_t width = tokens.shape.back();
  for (int64_t row = 0, rows = width == 0 ? 0 : tokens.count() / width; row < rows; ++row) {
    const int32_t *first = tokens.integers() + row * width;
    for (int32_t point : ArrayRef(first, std::find(first, first + width, 0)))
      text += character(point);
    text += '\n';
  }
  return text;
}

} // namespace attnc
