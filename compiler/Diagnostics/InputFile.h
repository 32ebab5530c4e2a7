//===- InputFile.h - random-access reading of regular files ----------------------------------------------------===//
//
// Files are read, never mapped: if another program truncates a file meanwhile, reading is an error, while a mapping
// would raise SIGBUS. Only regular files are accepted, because a pipe without a writer blocks and a device may have no
// end.
//
//===----------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace attnc {

/// An open file, or the reason for which it could not be opened, without the path: "No such file or directory".
class InputFile {
public:
  explicit InputFile(std::string path);
  /// An open file with the content `bytes`, which must outlive this object.
  static InputFile inMemory(std::string path, std::string_view bytes);
  InputFile(const InputFile &) = delete;
  InputFile &operator=(const InputFile &) = delete;
  ~InputFile();

  const std::string &path() const { return name; }
  bool isOpen() const { return descriptor >= 0 || isInMemory; }
  bool isMissing() const { return missing; } ///< whether the file does not exist
  /// The reason for which the file could not be opened, or for which the last read() failed.
  const std::string &problem() const { return reason; }
  uint64_t size() const { return bytes; } ///< the size when the file was opened
  /// Copies bytes [at, at + count) to `to`; false if the file is shorter or reading fails.
  bool read(uint64_t at, uint64_t count, char *to);

private:
  InputFile(std::string path, std::string_view memory);

  std::string name, reason;
  std::string_view memory;
  int descriptor = -1;
  bool isInMemory = false, missing = false;
  uint64_t bytes = 0;
};

/// The content of a file; on failure null, and the reason in `problem`.
std::optional<std::string> readText(const std::string &path, std::string &problem);

} // namespace attnc
