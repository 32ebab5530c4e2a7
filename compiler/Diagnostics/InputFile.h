//===- InputFile.h - a file that is read -----------------------------------------------------------------------===//
//
// Files are read, never mapped: one that another program truncates meanwhile is an error with a reason, where a mapping
// would end this program by a signal. Only regular files are: a pipe without a writer would be waited for, a device may
// have no end.
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace attnc {

/// A file that is open, or why it is not. Reasons are parts of sentences: "No such file or directory".
class InputFile {
public:
  explicit InputFile(std::string path);
  /// `bytes` as if a file held them; they must outlive this.
  static InputFile inMemory(std::string path, std::string_view bytes);
  InputFile(const InputFile &) = delete;
  InputFile &operator=(const InputFile &) = delete;
  ~InputFile();

  const std::string &path() const { return name; }
  bool isOpen() const { return descriptor >= 0 || isInMemory; }
  bool isMissing() const { return missing; } ///< there is no such file
  /// Why it could not be opened, or what the last call of read() failed for.
  const std::string &problem() const { return reason; }
  uint64_t size() const { return bytes; } ///< when it was opened
  /// Copies bytes [at, at + count) to `to`; false where the file ends before, or can't be read.
  bool read(uint64_t at, uint64_t count, char *to);

private:
  InputFile(std::string path, std::string_view memory);

  std::string name, reason;
  std::string_view memory;
  int descriptor = -1;
  bool isInMemory = false, missing = false;
  uint64_t bytes = 0;
};

/// All of a text, or nothing and why in `problem`.
std::optional<std::string> readText(const std::string &path, std::string &problem);

} // namespace attnc
