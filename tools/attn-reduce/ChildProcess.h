//===- ChildProcess.h - child process with limits of time and memory --------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include <chrono>
#include <string>
#include <vector>

namespace attnc::reduce {

struct Limits {
  double seconds = 20;
  int64_t bytes = 0; ///< limit of the address space; 0: unlimited
};

/// The way in which a command ended.
struct Ending {
  bool ranOut = false; ///< killed at its time limit
  int signal = 0;      ///< the signal that ended it otherwise; 0: it exited
  int exitCode = 0;
  std::string output; ///< its standard output and error
};

/// A command in its own process group; end() and the destructor kill the group.
class ChildProcess {
public:
  /// The output of the command is written to the file `outputPath`.
  static llvm::Expected<ChildProcess> start(const std::vector<std::string> &command, const std::string &outputPath,
                                            const Limits &limits);
  ChildProcess(ChildProcess &&other);
  ChildProcess &operator=(ChildProcess &&other);
  ~ChildProcess();

  /// A file descriptor that becomes readable when the process ends (pidfd_open(2)).
  int waitable() const { return descriptor; }
  /// Remaining time until the time limit; at least 0.
  std::chrono::milliseconds left() const;
  /// Kills the process group if it still runs, and returns the way in which the command ended.
  Ending end();

private:
  ChildProcess() = default;
  int process = -1;
  int descriptor = -1;
  std::string outputPath;
  std::chrono::steady_clock::time_point deadline;
};

} // namespace attnc::reduce
