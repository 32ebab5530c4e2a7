//===- Process.h - what a process is given by the one that starts it ----------------------------------------------===//
#pragma once

#include <vector>

namespace attnc {

/// Makes a process behave as the one that starts it wants, and faults of files errors of calls:
///
///   Process process;                   before anything opens files
///   llvm::InitLLVM llvm(argc, argv);
///   process.keepSignals();
class Process {
public:
  /// Opens standard streams that are closed, so that they give EBADF. Otherwise the first file that is opened would be
  /// that stream, and messages would be written into it.
  Process();
  /// LLVM handles signals, also those that were ignored (nohup): these are ignored again. SIGXFSZ is too, so that a
  /// file beyond `ulimit -f` gives EFBIG, which is reported as a full disk is.
  void keepSignals() const;

private:
  std::vector<int> ignored;
};

} // namespace attnc
