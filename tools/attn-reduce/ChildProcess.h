//===- ChildProcess.h - a command with limits -------------------------------------------------------------------===//
#pragma once

#include "llvm/Support/Error.h"
#include <chrono>
#include <string>
#include <vector>

namespace attnc::reduce {

struct Limits {
  double seconds = 20;
  int64_t bytes = 0; ///< of address space; 0: any
};

/// How a command ended.
struct Ending {
  bool ranOut = false; ///< of time, and was killed
  int signal = 0;      ///< that killed it otherwise; 0: it ended by itself
  int exitCode = 0;
  std::string output; ///< what it wrote to its standard output and error
};

/// A command that runs in a process group of its own, which is killed with it.
class ChildProcess {
public:
  /// `outputPath` takes what it writes.
  static llvm::Expected<ChildProcess> start(const std::vector<std::string> &command, const std::string &outputPath,
                                            const Limits &limits);
  ChildProcess(ChildProcess &&other);
  ChildProcess &operator=(ChildProcess &&other);
  ~ChildProcess();

  /// Readable when the process has ended (pidfd_open(2)).
  int waitable() const { return descriptor; }
  /// Until its time is over; not below 0.
  std::chrono::milliseconds left() const;
  /// Kills what still runs, and says how it ended.
  Ending end();

private:
  ChildProcess() = default;
  int process = -1;
  int descriptor = -1;
  std::string outputPath;
  std::chrono::steady_clock::time_point deadline;
};

} // namespace attnc::reduce
