//===- Source.h - source manager, source files and source ranges --------------------------------------------------===//
//
// The `SourceManager` owns all source text; a `SourceRange` of three integers refers to a part of it. Lines and columns
// are computed on demand, when a location is printed.
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace attnc {

/// The number of a file of a `SourceManager`, in the order of add().
using FileId = uint32_t;

/// The bytes [begin, end) of a file. The default range is invalid.
struct SourceRange {
  static constexpr FileId noFile = ~FileId(0);

  FileId file = noFile;
  uint32_t begin = 0;
  uint32_t end = 0;

  bool valid() const { return file != noFile; }
  friend bool operator==(const SourceRange &, const SourceRange &) = default;
};

/// The smallest range that contains both ranges, which must be of one file. If one is invalid, the other one.
SourceRange merge(SourceRange first, SourceRange last);

/// Line and column of a byte, both from 1; a column is one byte.
struct LineColumn {
  uint32_t line = 1;
  uint32_t column = 1;
};

/// Where a source file is: on disk, or embedded in the compiler as a part of the prelude.
enum class SourceOrigin { Disk, Prelude };

/// One file: its name as the user wrote it, its text, and the offsets of its lines.
class SourceFile {
public:
  SourceFile(std::string name, std::string text, SourceOrigin origin);

  SourceOrigin origin() const { return place; }
  const std::string &name() const { return fileName; }
  std::string_view text() const { return contents; }
  /// The line and column of a byte offset, which is clamped to the end of the file.
  LineColumn lineColumn(uint32_t offset) const;
  /// The text of a line, without its line break. Lines are numbered from 1; here and below, the line must exist.
  std::string_view line(uint32_t number) const;
  /// The offset of the first byte of a line.
  uint32_t lineStart(uint32_t number) const;

private:
  SourceOrigin place;
  std::string fileName;
  std::string contents;
  std::vector<uint32_t> starts;
};

/// All files of one compile. Views of their text are valid during the lifetime of the manager.
class SourceManager {
public:
  /// Adds a file, by the name as the user wrote it and the content, and returns its number. Files of different origins
  /// may have the same name.
  FileId add(std::string name, std::string text, SourceOrigin origin = SourceOrigin::Disk);
  const SourceFile &file(FileId id) const { return *files[id]; }
  size_t size() const { return files.size(); } ///< number of files
  /// The bytes of a valid range.
  std::string_view text(SourceRange range) const;
  /// `file:line:column` of the first byte of a valid range.
  std::string place(SourceRange range) const;

private:
  std::vector<std::unique_ptr<SourceFile>> files;
};

} // namespace attnc
