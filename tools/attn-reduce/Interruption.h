//===- Interruption.h - orderly end of a reduction on signals -----------------------------------------------------===//
//
// If SIGINT, SIGTERM or SIGHUP ended attn-reduce at once, the folder of candidates and the running commands would
// remain. The signals are therefore blocked, and the search polls for them. After a signal has arrived, attn-reduce
// kills its commands, removes the folder of candidates, and then ends itself by this signal (`end`).
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <csignal>

namespace attnc::reduce {

/// Blocks SIGINT, SIGTERM and SIGHUP during the lifetime of the object, except signals that the process ignores.
class Interruption {
public:
  /// Must be created before the process starts a thread or installs a signal handler. If signalfd(2) fails, no signal
  /// is blocked, and signals end the process at once.
  Interruption();
  ~Interruption(); ///< unblocks the signals
  Interruption(const Interruption &) = delete;
  Interruption &operator=(const Interruption &) = delete;

  /// A file descriptor for poll(2) that becomes readable when a signal arrives (signalfd(2)). Negative if signalfd(2)
  /// failed; poll(2) skips a negative descriptor.
  int waitable() const { return descriptor; }
  bool hasCome() const; ///< whether one of the signals has arrived; does not wait, and stays true until end()
  /// Ends the process by the signal that has arrived, without running destructors; with exit code 1 if none has
  /// arrived.
  [[noreturn]] void end() const;

  /// Unblocks all signals. Called in a child process between fork and exec, so that signals end the command.
  static void forget();

private:
  sigset_t signals; ///< the blocked signals
  int descriptor = -1;
};

} // namespace attnc::reduce
