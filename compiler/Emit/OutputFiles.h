//===- OutputFiles.h - atomic output of all files of a compile ----------------------------------------------------===//
//
// Each file is written completely under a temporary name in its directory; commit() renames all of them. After a full
// disk, an interrupt or an error before commit(), the previous files are unchanged, and no temporary file is left.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/FileSystem.h"
#include <string>
#include <vector>

namespace attnc {

/// The output files of one compile. The destructor removes the temporary files, and the directories that were created
/// for them, unless commit() has succeeded.
class OutputFiles {
public:
  OutputFiles() = default;
  OutputFiles(const OutputFiles &) = delete;
  OutputFiles &operator=(const OutputFiles &) = delete;
  ~OutputFiles();

  /// Writes `bytes` to a temporary file, which commit() renames to `path`. Creates missing directories. Fails if `path`
  /// is a directory or a stream (isStream), or if another file of this object has it. After a failure, for example for
  /// lack of space, commit() must not be called: the temporary file may be incomplete.
  llvm::Error write(const std::string &path, llvm::StringRef bytes);
  /// Creates an empty temporary file, which commit() renames to `path`, for a tool that writes it. Returns its
  /// temporary name. Fails like write().
  llvm::Expected<std::string> reserve(const std::string &path);
  /// Temporary name of the last file that was written or reserved; there must be one.
  const std::string &lastTemporary() const { return pending.back().file.TmpName; }
  /// Renames all files, in the order of write() and reserve(). If a rename fails, earlier files are already replaced;
  /// the destructor removes the temporary files of the others.
  llvm::Error commit();

  /// Writes and commits one file, and returns after the disk has stored it (fsync). If only the sync of its directory
  /// fails, there is an error although the file is replaced. If `path` is a stream, the bytes are appended to it
  /// instead.
  static llvm::Error replace(const std::string &path, llvm::StringRef bytes);
  /// True if the path is a device, a pipe, a socket, or a descriptor of this process (/dev/stdout, /dev/fd/3), even of
  /// a file; also for any other path directly in /dev, /dev/fd or /proc/self/fd. The rename of a file onto a device
  /// would remove the device for all programs.
  static bool isStream(const std::string &path);

private:
  std::error_code makeDirectories(llvm::StringRef directory);

  struct Pending {
    std::string path;
    llvm::sys::fs::TempFile file;
  };
  std::vector<Pending> pending;
  std::vector<std::string> created; ///< created directories, outer ones first; removed unless files are committed
};

} // namespace attnc
