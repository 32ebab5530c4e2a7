//===- Measurement.h - timing of an entry point and of its kernels -----------------------------------------------===//
#pragma once

#include "tools/attnc/Call/Invocation.h"
#include "tools/attnc/Call/Profile.h"
#include "tools/machine/Median.h"

namespace attnc {

/// Limits of repetition: a call is repeated until it has run `runs` times and for `seconds`.
struct Repetitions {
  int runs = 5;
  double seconds = 0;
};

struct Measurement {
  int runs = 0;                       ///< number of timed calls
  double seconds = 0;                 ///< median wall-clock time of a call
  std::vector<Profile::Line> kernels; ///< kernels that the calls launched; `seconds` has a sum for each call
};

/// Runs the call once to warm up, then repeats it. The model must not be one for a device, whose launches do not pass
/// through an executor of the host.
llvm::Expected<Measurement> measure(Invocation &call, Repetitions repetitions);

} // namespace attnc
