//===- Machine.h - measurement of speed relative to the peak of the machine ---------------------------------------===//
//
// The speed of a kernel is reported as a fraction of the peak of the same core at about the same time:
//
//   share of peak      = (flops / seconds) / fmaPeak()
//   share of bandwidth = (bytes / seconds) / readBandwidth()
//
// Clock rates drift and other processes disturb, so the reference is measured in slices directly before and after each
// repetition. Each repetition gives one ratio, and the median of the ratios is reported. The time of a single thread is
// its processor time, which excludes other processes on the core, except for their effect on caches.
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

/// `count` random floats in [-scale, scale), equal for equal seeds, in memory aligned to 2 MiB, with huge pages if
/// available. The memory is never freed. Null if there is none.
float *randomFloats(size_t count, float scale, unsigned seed);

struct Measurement {
  double seconds = 0;   ///< median time of a repetition
  double rate = 0;      ///< units of work per second, at this time
  double reference = 0; ///< median over repetitions of the mean of the two reference rates, in units per second
  double share = 0;     ///< median over repetitions of the rate divided by this mean
};

/// The clock: processor time of the calling thread, or wall-clock time for kernels on several threads.
enum class Clock { Thread, Wall };

/// Wall-clock time in seconds, from an arbitrary start.
double wallSeconds();

/// Runs `body`, which does `work` units of work (operations or bytes), once for warm-up and then `repetitions` (> 0)
/// times. Calls `reference` directly before and after each repetition; it returns a rate in the same units per second.
Measurement measure(double work, int repetitions, const std::function<void()> &body,
                    const std::function<double()> &reference, Clock clock = Clock::Thread);

/// Prints one line of a table to standard output: name, milliseconds, rate in 10^9 units per second, share in percent
/// of the reference in 10^9 units per second. `unit` is the name of a unit of work: "FLOP".
void print(const std::string &name, const Measurement &measurement, const char *unit);

} // namespace attnc::bench
