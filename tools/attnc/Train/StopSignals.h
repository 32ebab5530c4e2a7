//===- StopSignals.h - signals that end a training in order -------------------------------------------------------===//
//
// While this lives, SIGINT, SIGTERM and SIGHUP are noted, so that the run can save what it has; a second one ends the
// process at once. A signal that is ignored stays so (nohup). SIGPIPE is ignored: that nobody reads of the progress any
// more is no reason to end.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <csignal>
#include <utility>
#include <vector>

namespace attnc {

class StopSignals {
public:
  StopSignals();
  /// Signals do what they did before.
  ~StopSignals();
  StopSignals(const StopSignals &) = delete;
  StopSignals &operator=(const StopSignals &) = delete;

  /// The signal that has come; 0 where none has.
  int received() const;

  /// Ends the process as the signal does where nobody notes it.
  [[noreturn]] static void endBy(int signal);

private:
  std::vector<std::pair<int, struct sigaction>> before;
};

} // namespace attnc
