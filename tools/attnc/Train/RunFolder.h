//===- RunFolder.h - the folder that a training writes to, alone --------------------------------------------------===//
//
// `run.lock` in it is locked by flock(2) and says who has it. The kernel lets go of the lock when the process ends, in
// whatever way; the file is removed at the end, and one that a killed training has left locks nobody out. Between
// machines the lock holds where the file system has one for all of them: NFS does, unless it is mounted with `nolock`
// or `local_lock`. Where there are no locks a warning says so.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include <string>

namespace attnc {

/// Names of the files of a run.
namespace runfile {
inline constexpr char checkpoint[] = "checkpoint.safetensors", weights[] = "weights.safetensors", record[] = "run.json",
                      history[] = "history.csv", attention[] = "attention.csv", report[] = "report.html",
                      lock[] = "run.lock";
/// Files that are written beside their place first, so that a kill may leave an unfinished one.
inline constexpr const char *replaced[] = {checkpoint, weights, record, history, attention, report};
} // namespace runfile

class RunFolder {
public:
  /// Makes the folder where it is missing and locks it; what trainings that were killed were writing is removed. Fails
  /// where another training has it, with who that is.
  static llvm::Expected<RunFolder> open(const std::string &path);
  RunFolder(RunFolder &&other);
  RunFolder &operator=(RunFolder &&) = delete;
  ~RunFolder();

  std::string file(const std::string &name) const { return path + "/" + name; }
  /// Fails where the path is no longer the folder that was opened: what is written to it would be mixed with another
  /// training's. A lock that was removed is made anew.
  llvm::Error check();

private:
  explicit RunFolder(const std::string &path) : path(path) {}
  /// `remedy` is the end of the message where the lock's file can't be made.
  llvm::Error lock(const char *remedy);
  void removeUnfinished() const;

  std::string path;
  int directory = -1;
  int lockFile = -1;
  bool isLocked = false; ///< some file systems have no locks
};

} // namespace attnc
