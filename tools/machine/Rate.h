//===- Rate.h - measurement of rates ------------------------------------------------------------------------------===//
#pragma once

#include "tools/machine/Peak.h"
#include <algorithm>

namespace attnc::machine {

/// Events per second of processor time of the calling thread. Calls `run()` five times on this thread and returns the
/// largest rate; each call executes `events` events (instructions, bytes or calls).
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
