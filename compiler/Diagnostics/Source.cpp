#include "compiler/Diagnostics/Source.h"

#include <algorithm>
#include <fmt/format.h>

namespace attnc {

SourceRange merge(SourceRange first, SourceRange last) {
  if (!first.valid())
    return last;
  if (!last.valid())
    return first;
  return {first.file, std::min(first.begin, last.begin), std::max(first.end, last.end)};
}

SourceFile::SourceFile(std::string name, std::string text, SourceOrigin origin)
    : place(origin), fileName(std::move(name)), contents(std::move(text)) {
  starts.push_back(0);
  for (size_t i = 0; i < contents.size(); ++i)
    if (contents[i] == '\n')
      starts.push_back(static_cast<uint32_t>(i + 1));
}

LineColumn SourceFile::lineColumn(uint32_t offset) const {
  offset = std::min(offset, static_cast<uint32_t>(contents.size()));
  auto next = std::upper_bound(starts.begin(), starts.end(), offset);
  auto line = static_cast<uint32_t>(next - starts.begin());
  return {line, offset - starts[line - 1] + 1};
}

uint32_t SourceFile::lineStart(uint32_t number) const { return starts[number - 1]; }

std::string_view SourceFile::line(uint32_t number) const {
  size_t begin = starts[number - 1];
  size_t end = number < starts.size() ? starts[number] - 1 : contents.size();
  if (end > begin && contents[end - 1] == '\r')
    --end;
  return std::string_view(contents).substr(begin, end - begin);
}

FileId SourceManager::add(std::string name, std::string text, SourceOrigin origin) {
  files.push_back(std::make_unique<SourceFile>(std::move(name), std::move(text), origin));
  return static_cast<FileId>(files.size() - 1);
}

std::string_view SourceManager::text(SourceRange range) const {
  return file(range.file).text().substr(range.begin, range.end - range.begin);
}

std::string SourceManager::place(SourceRange range) const {
  const SourceFile &source = file(range.file);
  LineColumn at = source.lineColumn(range.begin);
  return fmt::format("{}:{}:{}", source.name(), at.line, at.column);
}

} // namespace attnc
