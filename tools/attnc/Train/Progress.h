//===- Progress.h - how far a training is ------------------------------------------------------------------------===//
//
// On a terminal one line that is written over; elsewhere a line at each report. Rates and the time left are of steps
// alone: validation and checkpoints do not count.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace attnc {

/// What one step does.
struct StepWork {
  int64_t items = 0; ///< tokens where a step has some, otherwise samples
  bool isSequence = false;
  double flops = 0;
  double peak = 0; ///< operations that the workers could do in a second; 0 where it is not known
};

class Progress {
public:
  Progress(int64_t steps, StepWork work);
  ~Progress();

  /// After a step that took `seconds`; shown at once on a terminal, at most ten times a second.
  void step(int64_t done, double loss, double seconds);
  /// A line that stays.
  void report(int64_t done, double loss, std::optional<double> validation);

private:
  double elapsed() const;
  std::string speed() const;
  int64_t steps, taken = 0;
  StepWork work;
  bool isTerminal, isShown = false;
  std::chrono::steady_clock::time_point start;
  double lastShown = 0, stepping = 0;
};

} // namespace attnc
