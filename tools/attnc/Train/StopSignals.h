//===- StopSignals.h - handlers of the signals that stop a training -----------------------------------------------===//
#pragma once

#include <csignal>
#include <utility>
#include <vector>

namespace attnc {

/// Ignores SIGPIPE during the lifetime of this object, so a closed pipe for progress and warnings does not end a
/// training.
class IgnoredPipeSignal {
public:
  IgnoredPipeSignal();
  ~IgnoredPipeSignal();
  IgnoredPipeSignal(const IgnoredPipeSignal &) = delete;
  IgnoredPipeSignal &operator=(const IgnoredPipeSignal &) = delete;

private:
  struct sigaction before; ///< restored by the destructor
};

/// Records the first SIGINT, SIGTERM or SIGHUP during the lifetime of this object, so that the training can save its
/// state. A second one of these signals ends the process at once. A signal that the process ignores (under nohup) stays
/// ignored. There is at most one object at a time.
class StopSignals {
public:
  /// Installs the handlers.
  StopSignals();
  /// Restores the handlers.
  ~StopSignals();
  StopSignals(const StopSignals &) = delete;
  StopSignals &operator=(const StopSignals &) = delete;

  /// The number of the recorded signal; 0 if there is none.
  int received() const;

  /// Flushes standard output and ends the process by the signal, with its default action; with exit code 128 + `signal`
  /// if the signal is blocked. Runs no destructors.
  [[noreturn]] static void endBy(int signal);

private:
  /// The handled signals, and the actions that the destructor restores.
  std::vector<std::pair<int, struct sigaction>> before;
};

} // namespace attnc
