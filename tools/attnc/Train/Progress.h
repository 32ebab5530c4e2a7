//===- Progress.h - progress display of a training ---------------------------------------------------------------===//
//
// On a terminal, one line that is overwritten; elsewhere, a line for each report. Rates and the remaining time are
// those of steps alone, without validation and checkpoints.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace attnc {

/// The work of one step.
struct StepWork {
  int64_t items = 0;
  const char *unit = ""; ///< plural of an item, such as "tokens"
  double flops = 0;
  double peak = 0; ///< peak operations per second of all workers; 0 if unknown
};

class Progress {
public:
  Progress(int64_t steps, StepWork work);
  ~Progress();

  /// Records a step that took `seconds`, after which `done` steps are completed; updates the line on a terminal, at
  /// most ten times per second.
  void step(int64_t done, double loss, double seconds);
  /// Prints a permanent line after `done` steps.
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
