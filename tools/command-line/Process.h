//===- Process.h - standard streams and signal dispositions at program start --------------------------------------===//
#pragma once

#include <vector>

namespace attnc {

/// Preserves the ignored signals of the parent process, and makes the use of closed streams and of too large files an
/// error of a system call instead of silent damage or a signal:
///
///   Process process;                   before anything opens files
///   llvm::InitLLVM llvm(argc, argv);
///   process.keepSignals();
class Process {
public:
  /// Opens each standard stream that is closed, in the wrong direction, so that its use fails with EBADF. Otherwise the
  /// next opened file would get the stream's number, and messages would be written to that file. Also records which of
  /// SIGHUP, SIGINT, SIGTERM and SIGUSR2 are ignored.
  Process();
  /// Ignores the recorded signals again, after LLVM has installed its handlers (a program under nohup ignores SIGHUP).
  /// Also ignores SIGXFSZ, so that a write beyond `ulimit -f` fails with EFBIG and can be reported like a full disk.
  void keepSignals() const;

private:
  std::vector<int> ignored; ///< signals that were ignored when the constructor ran
};

} // namespace attnc
