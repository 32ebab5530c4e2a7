//===- Rate.h - events a second -----------------------------------------------------------------------------------===//
#pragma once

#include "tools/machine/Peak.h"
#include <algorithm>

namespace attnc::machine {

/// Events a second: the best of several slices of `events` each.
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
