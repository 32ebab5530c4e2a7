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
  struct sigaction before;
};

/// Records the first SIGINT, SIGTERM or SIGHUP during the lifetime of this object, so that the training can save its
/// state; a second one ends the process at once. An ignored signal stays ignored (nohup).
class StopSignals {
public:
  StopSignals();
  /// Restores the handlers.
  ~StopSignals();
  StopSignals(const StopSignals &) = delete;
  StopSignals &operator=(const StopSignals &) = delete;

  /// The recorded signal, or 0.
  int received() const;

  /// Ends the process by the signal, with its default action.
  [[noreturn]] static void endBy(int signal);

private:
  std::vector<std::pair<int, struct sigaction>> before;
};

} // namespace attnc
