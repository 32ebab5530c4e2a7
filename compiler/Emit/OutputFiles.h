//===- OutputFiles.h - atomic output of all files of a compile ----------------------------------------------------===//
//
// Each file is written completely under a temporary name in its directory; commit() renames all. A full disk, an
// interrupt or an error leaves the previous files, and no temporary ones.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/FileSystem.h"
#include <string>
#include <vector>

namespace attnc {

class OutputFiles {
public:
  OutputFiles() = default;
  OutputFiles(const OutputFiles &) = delete;
  OutputFiles &operator=(const OutputFiles &) = delete;
  ~OutputFiles();

  /// Writes `bytes`, which become `path`. Creates missing directories; devices and pipes are refused.
  llvm::Error write(const std::string &path, llvm::StringRef bytes);
  /// An empty temporary file that becomes `path`, for a tool that writes it; returns its name.
  llvm::Expected<std::string> reserve(const std::string &path);
  /// Temporary name of the last file that was written or reserved; there must be one.
  const std::string &lastTemporary() const { return pending.back().file.TmpName; }
  /// Renames all files, in the order of write() and reserve(). If a rename fails, earlier files are already replaced;
  /// the destructor removes the temporary files of the others.
  llvm::Error commit();

  /// Writes and commits one file, synchronously. To a stream the bytes are appended.
  static llvm::Error replace(const std::string &path, llvm::StringRef bytes);
  /// Whether the path is a device, a pipe, a socket, or a descriptor of this process (/dev/stdout, /dev/fd/3), even of
  /// a file. To replace a device by a file would remove it for all programs.
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
