//===- RunFolder.h - the folder of a training, locked against other trainings -------------------------------------===//
//
// The process locks the file `run.lock` in the folder by flock(2), and writes its number and its machine into the file.
// The operating system releases the lock when the process ends in any way, so a file that a killed training has left is
// no obstacle. Locks between machines depend on the file system: NFS supports them, unless it is mounted with `nolock`
// or `local_lock`. If the file system has no locks, a warning is printed, and the training runs without a lock.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include <string>

namespace attnc {

/// Names of the files of a training, within its folder.
namespace runfile {
inline constexpr char checkpoint[] = "checkpoint.safetensors", weights[] = "weights.safetensors", record[] = "run.json",
                      adapter[] = "adapter_model.safetensors", adapterConfig[] = "adapter_config.json",
                      history[] = "history.csv", attention[] = "attention.csv", report[] = "report.html",
                      vocabulary[] = "vocabulary", lock[] = "run.lock";
/// Names, or their beginnings, of the files that are written under a temporary name first; a kill may leave a temporary
/// file. `vocabulary` stands for the files vocabulary.txt and vocabulary.NAME.txt.
inline constexpr const char *replaced[] = {checkpoint, weights,   adapter, adapterConfig, record,
                                           history,    attention, report,  vocabulary};
} // namespace runfile

/// An opened folder; holds the lock until it is destroyed.
class RunFolder {
public:
  /// Creates the folder if necessary, locks it, and, if the file system has locks, removes temporary files of killed
  /// trainings. An error if the folder cannot be created or written, or if another training has locked it; the message
  /// then names that process, if the lock file does.
  static llvm::Expected<RunFolder> open(const std::string &path);
  RunFolder(RunFolder &&other);
  RunFolder &operator=(RunFolder &&) = delete;
  ~RunFolder(); ///< removes the lock file, if it is still this object's, and releases the lock

  /// The path of the file `name` in the folder.
  std::string file(const std::string &name) const { return path + "/" + name; }
  /// To be called before files are written. An error if the path no longer leads to the opened folder, because files
  /// would then be mixed with those of another training. Locks the folder again if the lock file was removed; an error
  /// if another training has locked it since, or if the lock file cannot be written.
  llvm::Error check();

private:
  explicit RunFolder(const std::string &path) : path(path) {}
  /// `remedy` ends the message if the lock file cannot be created.
  llvm::Error lock(const char *remedy);
  void removeUnfinished() const;

  std::string path;
  int directory = -1;    ///< descriptor of the folder
  int lockFile = -1;     ///< descriptor of the lock file
  bool isLocked = false; ///< false on file systems without locks
};

} // namespace attnc
