//===- Measurement.h - timing of an entry point and of its kernels ------------------------------------------------===//
#pragma once

#include "tools/attnc/Call/Invocation.h"
#include "tools/attnc/Call/Profile.h"
#include "tools/machine/Median.h"

namespace attnc {

/// Least repetition: a call is repeated until it has run at least `runs` times, and for at least `seconds` in all.
struct Repetitions {
  int runs = 5;       ///< at least 1
  double seconds = 0; ///< wall-clock time
};

struct Measurement {
  int runs = 0;                       ///< number of timed calls
  double seconds = 0;                 ///< median wall-clock time of a call
  std::vector<Profile::Line> kernels; ///< kernels that were launched; Line::seconds has one sum for each timed call
};

/// Runs the call once to warm up, then repeats and times it. Returns the error of the first call that fails. Requires a
/// model for a processor: launches on a device do not pass through the executor, by which the kernels are timed.
llvm::Expected<Measurement> measure(Invocation &call, Repetitions repetitions);

} // namespace attnc
