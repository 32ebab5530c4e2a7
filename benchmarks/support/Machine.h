//===- Machine.h - what the processor can do, measured beside the code under test ------------------------------===//
//
// A kernel's speed is told as a share of what the same core can do in the same moment:
//
//   share of peak      = (flops / seconds) / fmaPeak()
//   share of bandwidth = (bytes / seconds) / readBandwidth()
//
// Clock rates drift and neighbours disturb, so the reference is measured in slices right before and right after each
// repetition, each repetition gives one ratio, and the median of the ratios is reported. Time of one thread is its own
// processor time: what others run on the core does not count, except for the caches that they soil.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/machine/Median.h"
#include "tools/machine/Peak.h"
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace attnc::bench {

using attnc::median;
using machine::fmaPeak;
using machine::fmaPeakOf;
using machine::readBandwidth;
using machine::readBandwidthOf;
using machine::threadSeconds;

/// Memory aligned to 2 MiB, in huge pages where the system grants them, filled with small random floats.
float *randomFloats(size_t count, float scale, unsigned seed);

struct Measurement {
  double seconds = 0;   ///< median of one run
  double rate = 0;      ///< work / seconds, median
  double reference = 0; ///< median of the reference slices
  double share = 0;     ///< median of the ratios of each run to its neighbouring slices
};

/// Whose time counts: that of the calling thread alone, or the clock on the wall, where several threads work.
enum class Clock { Thread, Wall };

/// Seconds by the clock on the wall.
double wallSeconds();

/// Runs `body`, which does `work` units, once and then `repetitions` times between slices of `reference` (units per
/// second).
Measurement measure(double work, int repetitions, const std::function<void()> &body,
                    const std::function<double()> &reference, Clock clock = Clock::Thread);

/// One line of a table: name, milliseconds, rate in 10^9 units per second, share in percent.
void print(const std::string &name, const Measurement &measurement, const char *unit);

} // namespace attnc::bench
