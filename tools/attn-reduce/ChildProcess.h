//===- ChildProcess.h - child process with limits of time and memory ----------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include <chrono>
#include <string>
#include <vector>

namespace attnc::reduce {

/// Limits of one command.
struct Limits {
  double seconds = 20; ///< wall-clock time. ChildProcess only counts it: the caller waits for left(), then calls end()
  int64_t bytes = 0;   ///< address space of each process (RLIMIT_AS), set before the command starts; 0: unlimited
};

/// The way in which a command ended.
struct Ending {
  bool ranOut = false; ///< the command still ran when end() killed it
  int signal = 0;      ///< the signal that ended the command before end(); 0 if it exited or was killed by end()
  int exitCode = 0;    ///< exit code of a command that exited, otherwise 0; 127 if the program could not be executed
  std::string output;  ///< standard output and error, interleaved; empty if the file of the output cannot be read
};

/// A running command in a process group of its own. Its standard input is empty, and it writes no core file.
/// end() and the destructor kill the group; the end of the parent kills the command.
class ChildProcess {
public:
  /// Starts `command`: the program, which is searched in $PATH, and its arguments. Its standard output and error go to
  /// the file `outputPath`, which is created or overwritten and stays afterwards. An error if this file or the process
  /// cannot be created, or if pidfd_open(2) fails. If the program does not exist, the Ending has exit code 127.
  static llvm::Expected<ChildProcess> start(const std::vector<std::string> &command, const std::string &outputPath,
                                            const Limits &limits);
  ChildProcess(ChildProcess &&other);
  ChildProcess &operator=(ChildProcess &&other); ///< exchanges the two objects
  ~ChildProcess();

  /// A file descriptor for poll(2) that becomes readable when the command ends (pidfd_open(2)). This object owns it.
  /// Negative after end() or a move to a new object.
  int waitable() const { return descriptor; }
  /// Remaining wall-clock time until the limit `Limits::seconds`; at least 0.
  std::chrono::milliseconds left() const;
  /// Kills all processes of the group that still run, and returns the way in which the command ended. Does not wait for
  /// the command to finish. Called at most once, and not after a move of this object.
  Ending end();

private:
  ChildProcess() = default;
  int process = -1; ///< process number, and number of the group; -1 if waitable() is negative
  int descriptor = -1;
  std::string outputPath;
  std::chrono::steady_clock::time_point deadline;
};

} // namespace attnc::reduce
