//===- InputFile.h - random-access reading of regular files -------------------------------------------------------===//
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

/// An open file, or the reason why it could not be opened.
class InputFile {
public:
  /// Opens the file. On failure isOpen() is false, and problem() has the reason.
  explicit InputFile(std::string path);
  /// An open file with the content `bytes`, which must outlive this object.
  static InputFile inMemory(std::string path, std::string_view bytes);
  InputFile(const InputFile &) = delete;
  InputFile &operator=(const InputFile &) = delete;
  ~InputFile();

  const std::string &path() const { return name; }
  bool isOpen() const { return descriptor >= 0 || isInMemory; }
  bool isMissing() const { return missing; } ///< true if it could not be opened because it does not exist
  /// The reason why the file could not be opened, or why the last failed read() failed: a phrase without the path, such
  /// as "No such file or directory". Empty if neither has happened.
  const std::string &problem() const { return reason; }
  uint64_t size() const { return bytes; } ///< the size in bytes when the file was opened; 0 if it is not open
  /// Copies bytes [at, at + count) to `to`. False, with the reason in problem(), if the file is shorter or reading
  /// fails.
  bool read(uint64_t at, uint64_t count, char *to);

private:
  InputFile(std::string path, std::string_view memory);

  std::string name, reason;
  std::string_view memory;
  int descriptor = -1;
  bool isInMemory = false, missing = false;
  uint64_t bytes = 0;
};

/// The content of a file. On failure, also for lack of memory, returns null and sets `problem` to the reason, a phrase
/// without the path.
std::optional<std::string> readText(const std::string &path, std::string &problem);

} // namespace attnc
