//===- Progress.h - how far a training is ------------------------------------------------------------------------===//
//
// On a terminal one line that is written over; elsewhere a line at each report.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace attnc {

class Progress {
public:
  /// `rate` counts tokens where a step has some, otherwise samples: `perStep` of them.
  Progress(int64_t firstStep, int64_t steps, int64_t perStep, bool isSequence);
  ~Progress();

  /// Shown at once on a terminal, at most ten times a second.
  void step(int64_t done, double loss);
  /// A line that stays.
  void report(int64_t done, double loss, std::optional<double> validation);

private:
  double seconds() const;
  double rate(int64_t done) const;
  int64_t firstStep, steps, perStep;
  bool isSequence, isTerminal, isShown = false;
  std::chrono::steady_clock::time_point start;
  double lastShown = 0;
};

} // namespace attnc
