//===- Progress.h - progress display of a training ----------------------------------------------------------------===//
//
// Prints to standard error: on a terminal, a line that each step overwrites, and everywhere a permanent line for each
// report. Rates and the remaining time count the time of steps alone, without validation and checkpoints.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace attnc {

/// The work of one training step.
struct StepWork {
  int64_t items = 0;     ///< number of items, such as tokens, in the batch of a step
  const char *unit = ""; ///< plural of an item, such as "tokens"
  double flops = 0;      ///< floating-point operations; 0 if unknown
  double peak = 0;       ///< peak operations per second of all workers; 0 if unknown
};

class Progress {
public:
  /// `steps` is the number of steps at which the training ends. `training` and `validation` are the names of the losses
  /// and metrics of a step and of a validation.
  Progress(int64_t steps, std::vector<std::string> training, std::vector<std::string> validation, StepWork work);
  ~Progress(); ///< clears the line on a terminal

  /// Records a step that took `seconds`, after which `done` steps are completed; updates the line on a terminal, at
  /// most ten times per second.
  void step(int64_t done, llvm::ArrayRef<double> training, double seconds);
  /// Prints a permanent line after `done` completed steps. The numbers of `validation` are omitted if all are NaN.
  void report(int64_t done, llvm::ArrayRef<double> training, llvm::ArrayRef<double> validation);

private:
  double elapsed() const;    ///< seconds since the constructor
  std::string speed() const; ///< rate of items, and share of the peak
  int64_t steps, taken = 0;  ///< last step; number of recorded steps
  std::vector<std::string> training, validation;
  StepWork work;
  bool isTerminal, isShown = false; ///< standard error is a terminal; the overwritten line is visible
  std::chrono::steady_clock::time_point start;
  double lastShown = 0, stepping = 0; ///< elapsed() at the last update; sum of the seconds of recorded steps
};

} // namespace attnc
