//===- RunFolder.h - the folder of a training, locked against other trainings -------------------------------------===//
//
// The file `run.lock` in the folder is locked by flock(2); its text names the process. The operating system releases
// the lock when the process ends in any way, so a file that a killed training has left is no obstacle. Locks between
// machines depend on the file system: NFS supports them, unless it is mounted with `nolock` or `local_lock`. If the
// file system has no locks, a warning is printed.
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
                      vocabulary[] = "vocabulary", lock[] = "run.lock";
/// Files that are written under a temporary name first; a kill may leave a temporary file. There are several files of
/// vocabularies, vocabulary.*txt.
inline constexpr const char *replaced[] = {checkpoint, weights, record, history, attention, report, vocabulary};
} // namespace runfile

class RunFolder {
public:
  /// Creates the folder if necessary, locks it, and removes temporary files of killed trainings. Fails if another
  /// training has locked it; the message names that process.
  static llvm::Expected<RunFolder> open(const std::string &path);
  RunFolder(RunFolder &&other);
  RunFolder &operator=(RunFolder &&) = delete;
  ~RunFolder();

  std::string file(const std::string &name) const { return path + "/" + name; }
  /// Fails if the path is no longer the opened folder, because files would be mixed with those of another training.
  /// Creates the lock file again if it was removed.
  llvm::Error check();

private:
  explicit RunFolder(const std::string &path) : path(path) {}
  /// `remedy` ends the message if the lock file cannot be created.
  llvm::Error lock(const char *remedy);
  void removeUnfinished() const;

  std::string path;
  int directory = -1;
  int lockFile = -1;
  bool isLocked = false; ///< some file systems have no locks
};

} // namespace attnc
