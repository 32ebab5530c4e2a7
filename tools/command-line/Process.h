//===- Process.h - standard streams and signal dispositions at program start --------------------------------------===//
#pragma once

#include <vector>

namespace attnc {

/// Preserves the signal dispositions of the parent process, and turns file problems into errors of system calls:
///
///   Process process;                   before anything opens files
///   llvm::InitLLVM llvm(argc, argv);
///   process.keepSignals();
class Process {
public:
  /// Opens closed standard streams so that using them fails with EBADF. Otherwise the next opened file would get the
  /// stream's number, and messages would be written to that file.
  Process();
  /// Ignores again the signals that were ignored at program start (nohup), for which LLVM has installed handlers. Also
  /// ignores SIGXFSZ, so that a file beyond `ulimit -f` fails with EFBIG, which is reported like a full disk.
  void keepSignals() const;

private:
  std::vector<int> ignored;
};

} // namespace attnc
