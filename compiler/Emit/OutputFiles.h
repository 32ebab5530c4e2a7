//===- OutputFiles.h - all files of a compile, or none ----------------------------------------------------------===//
//
// Each file is written in full under a temporary name beside its place; commit() renames them. A disk that is full, an
// interrupt or an error on the way leaves what was there before, and no temporary file.
//
//===------------------------------------------------------------------------------------------------------------===//
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

  /// Writes `bytes`, to become `path`. Directories on the way are made; devices and pipes are refused.
  llvm::Error write(const std::string &path, llvm::StringRef bytes);
  /// An empty temporary file to become `path`, for a tool that writes it itself; its name.
  llvm::Expected<std::string> reserve(const std::string &path);
  /// Where the file that was written last lies until commit().
  const std::string &lastTemporary() const { return pending.back().file.TmpName; }
  llvm::Error commit();

  /// One file, at once; it is on disk then. A stream gets the bytes behind what it already holds.
  static llvm::Error replace(const std::string &path, llvm::StringRef bytes);
  /// A device, a pipe, a socket, or a descriptor of this process (/dev/stdout, /dev/fd/3), which may be a file: a new
  /// file in its place would take it away from all programs.
  static bool isStream(const std::string &path);

private:
  std::error_code makeDirectories(llvm::StringRef directory);

  struct Pending {
    std::string path;
    llvm::sys::fs::TempFile file;
  };
  std::vector<Pending> pending;
  std::vector<std::string> created; ///< directories, outer ones first; removed again where nothing is committed
};

} // namespace attnc
