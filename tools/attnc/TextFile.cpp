#include "tools/attnc/TextFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include <algorithm>

using namespace llvm;

namespace attnc {

bool isText(StringRef path) { return path.ends_with(".txt"); }

/// The code points of a line, or nothing where it is no UTF-8.
static std::optional<std::vector<UTF32>> codePointsOf(StringRef line) {
  std::vector<UTF32> points(line.size());
  const UTF8 *from = line.bytes_begin();
  UTF32 *to = points.data();
  if (ConvertUTF8toUTF32(&from, line.bytes_end(), &to, to + points.size(), strictConversion) != conversionOK)
    return std::nullopt;
  points.resize(to - points.data());
  return points;
}

Expected<HostTensor> readLines(const std::string &path) {
  auto buffer = MemoryBuffer::getFile(path);
  if (!buffer)
    return createStringError(formatv("{0}: can't be read: {1}", path, buffer.getError().message()));
  std::vector<std::vector<UTF32>> lines;
  size_t longest = 0;
  StringRef rest = (*buffer)->getBuffer();
  rest.consume_front("\xEF\xBB\xBF"); // a mark of UTF-8
  while (!rest.empty()) {
    StringRef line;
    std::tie(line, rest) = rest.split('\n');
    line.consume_back("\r");
    auto points = codePointsOf(line);
    if (!points)
      return createStringError(formatv("{0}:{1}: not UTF-8", path, lines.size() + 1));
    if (is_contained(*points, 0u))
      return createStringError(
          formatv("{0}:{1}: has the character 0, which stands behind the end of a line", path, lines.size() + 1));
    longest = std::max(longest, points->size());
    lines.push_back(std::move(*points));
  }
  auto width = int64_t(longest) + 1;
  auto tokens = HostTensor::create(path, ATTN_I32, {int64_t(lines.size()), width});
  if (!tokens)
    return tokens.takeError();
  for (auto [row, line] : enumerate(lines))
    std::copy(line.begin(), line.end(), tokens->integers() + int64_t(row) * width);
  return tokens;
}

std::string character(int32_t codePoint) {
  std::string text;
  auto point = static_cast<UTF32>(codePoint);
  if (codePoint >= 0 && convertUTF32ToUTF8String(ArrayRef<UTF32>(point), text))
    return text;
  return "\xEF\xBF\xBD";
}

Expected<std::string> linesOf(const HostTensor &tokens) {
  if (tokens.dtype != ATTN_I32 || tokens.shape.empty())
    return createStringError("lines of text are written of tokens, i32[.., n]");
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
