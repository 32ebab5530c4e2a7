//===- Rate.h - measurement of rates ------------------------------------------------------------------------------===//
#pragma once

#include "tools/machine/Peak.h"
#include <algorithm>

namespace attnc::machine {

/// Events per second: the best of five slices, in each of which `run` executes `events` events.
template <class Run> double rateOf(double events, Run run) {
  double best = 0;
  for (int slice = 0; slice < 5; ++slice) {
    double start = threadSeconds();
    run();
    best = std::max(best, events / std::max(1e-9, threadSeconds() - start));
  }
  return best;
}

} // namespace attnc::machine
