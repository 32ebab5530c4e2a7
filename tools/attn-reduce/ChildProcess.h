//===- ChildProcess.h - child process with limits of time and memory --------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include <chrono>
#include <string>
#include <vector>

namespace attnc::reduce {

struct Limits {
  double seconds = 20; ///< wall-clock time; the caller waits for at most left() and calls end()
  int64_t bytes = 0;   ///< limit of the address space; 0: unlimited
};

/// The way in which a command ended.
struct Ending {
  bool ranOut = false; ///< it still ran when end() killed it
  int signal = 0;      ///< the signal that ended it before end(); 0 if it exited or was killed by end()
  int exitCode = 0;    ///< 0 unless it exited; 127 if the program could not be executed
  std::string output;  ///< its standard output and error
};

/// A command in its own process group, without standard input; end() and the destructor kill the group.
class ChildProcess {
public:
  /// Runs `command`, whose first word is the program. Its output is written to the file `outputPath`. Fails if that
  /// file or the process cannot be created.
  static llvm::Expected<ChildProcess> start(const std::vector<std::string> &command, const std::string &outputPath,
                                            const Limits &limits);
  ChildProcess(ChildProcess &&other);
  ChildProcess &operator=(ChildProcess &&other);
  ~ChildProcess();

  /// A file descriptor that becomes readable when the process ends (pidfd_open(2)).
  int waitable() const { return descriptor; }
  /// Remaining time until the time limit; at least 0.
  std::chrono::milliseconds left() const;
  /// Kills what still runs of the process group, and returns the way in which the command ended. Called once.
  Ending end();

private:
  ChildProcess() = default;
  int process = -1;
  int descriptor = -1;
  std::string outputPath;
  std::chrono::steady_clock::time_point deadline;
};

} // namespace attnc::reduce
