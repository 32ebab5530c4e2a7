//===- Interruption.h - orderly end of a reduction on signals ---------------------------------------------------===//
//
// If SIGINT, SIGTERM or SIGHUP ended the process at once, the folder of candidates and the running commands would
// remain. The signals are therefore blocked, and the search polls for them. When one has arrived, it ends its commands,
// removes its folder, and ends the process by the signal.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <csignal>

namespace attnc::reduce {

/// Blocks the three signals during its lifetime.
class Interruption {
public:
  /// Must be created before any thread is started or signal handler installed. Ignored signals stay ignored.
  Interruption();
  ~Interruption();
  Interruption(const Interruption &) = delete;
  Interruption &operator=(const Interruption &) = delete;

  /// A file descriptor that becomes readable when a signal arrives (signalfd(2)); negative if there is none.
  int waitable() const { return descriptor; }
  bool hasCome() const; ///< whether one of the signals has arrived
  /// Ends the process by the signal that has arrived.
  [[noreturn]] void end() const;

  /// Unblocks the signals in a child process, between fork and exec.
  static void forget();

private:
  sigset_t signals;
  int descriptor = -1;
};

} // namespace attnc::reduce
