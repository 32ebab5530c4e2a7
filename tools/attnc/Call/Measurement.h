//===- Measurement.h - an entry point timed, kernel by kernel ----------------------------------------------------===//
#pragma once

#include "tools/attnc/Call/Invocation.h"
#include "tools/attnc/Call/Profile.h"
#include "tools/machine/Median.h"

namespace attnc {

/// How often a call is repeated: until both are reached.
struct Repetitions {
  int runs = 5;
  double seconds = 0;
};

struct Measurement {
  int runs = 0;
  double seconds = 0;                 ///< of a call, the median
  std::vector<Profile::Line> kernels; ///< those that ran
};

/// Runs the call once to warm up, and then as often as asked for. A call of a device has no kernels here, and must not
/// be measured.
llvm::Expected<Measurement> measure(Invocation &call, Repetitions repetitions);

} // namespace attnc
