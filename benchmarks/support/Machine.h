//===- Machine.h - measurement of speed relative to the peak of the machine ------------------------------------===//
//
// The speed of a kernel is reported as a fraction of the peak of the same core at the same time:
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

/// Memory aligned to 2 MiB, in huge pages if available, filled with random floats of magnitude up to `scale`.
float *randomFloats(size_t count, float scale, unsigned seed);

struct Measurement {
  double seconds = 0;   ///< median of one run
  double rate = 0;      ///< work / seconds, median
  double reference = 0; ///< median of the reference slices
  double share = 0;     ///< median of the ratios of each run to its neighbouring slices
};

/// The clock: processor time of the calling thread, or wall-clock time for kernels on several threads.
enum class Clock { Thread, Wall };

/// Wall-clock time in seconds.
double wallSeconds();

/// Runs `body`, which does `work` units of work, once for warm-up and then `repetitions` times between slices of
/// `reference` (units per second).
Measurement measure(double work, int repetitions, const std::function<void()> &body,
                    const std::function<double()> &reference, Clock clock = Clock::Thread);

/// Prints one line of a table: name, milliseconds, rate in 10^9 units per second, share in percent.
void print(const std::string &name, const Measurement &measurement, const char *unit);

} // namespace attnc::bench
