//===- Source.h - files and places in them -------------------------------------------------------------------===//
//
// Source text is held once, by the `SourceManager`; everything else points into it with a `SourceRange` of three
// integers. Lines and columns are computed only when a place is shown.
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace attnc {

/// Which file of a `SourceManager`; files are numbered in the order they were added.
using FileId = uint32_t;

/// The bytes [begin, end) of a file. The default range is no place at all.
struct SourceRange {
  static constexpr FileId noFile = ~FileId(0);

  FileId file = noFile;
  uint32_t begin = 0;
  uint32_t end = 0;

  bool valid() const { return file != noFile; }
  friend bool operator==(const SourceRange &, const SourceRange &) = default;
};

/// The smallest range that holds both; they are of one file. An invalid side is ignored.
SourceRange merge(SourceRange first, SourceRange last);

/// Where a byte is, as people count: lines and columns from 1, a column being one byte.
struct LineColumn {
  uint32_t line = 1;
  uint32_t column = 1;
};

/// One file: its name as the user wrote it, its text, and where its lines start.
class SourceFile {
public:
  SourceFile(std::string name, std::string text);

  const std::string &name() const { return fileName; }
  std::string_view text() const { return contents; }
  /// The line and column of a byte offset; an offset behind the end is at the end.
  LineColumn lineColumn(uint32_t offset) const;
  /// The text of a line (from 1), without its line break.
  std::string_view line(uint32_t number) const;
  /// The offset of the first byte of a line (from 1).
  uint32_t lineStart(uint32_t number) const;

private:
  std::string fileName;
  std::string contents;
  std::vector<uint32_t> starts;
};

/// All files of one compile. Files stay where they are: views of their text are valid as long as the manager lives.
class SourceManager {
public:
  FileId add(std::string name, std::string text);
  const SourceFile &file(FileId id) const { return *files[id]; }
  size_t size() const { return files.size(); }
  /// The bytes of a range.
  std::string_view text(SourceRange range) const;
  /// `file:line:column` of the first byte of a range.
  std::string place(SourceRange range) const;

private:
  std::vector<std::unique_ptr<SourceFile>> files;
};

} // namespace attnc
