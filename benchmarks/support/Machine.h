//===- Machine.h - what the processor can do, measured beside the code under test ------------------------------===//
//
// A kernel's speed is told as a share of what the same core can do in the same moment:
//
//   share of peak      = (flops / seconds) / fmaPeak()
//   share of bandwidth = (bytes / seconds) / readBandwidth()
//
// Clock rates drift and neighbours disturb, so the reference is measured in slices right before and right after each
// repetition, each repetition gives one ratio, and the median of the ratios is reported. Time is the thread's own
// processor time: what others run on the core does not count, except for the caches that they soil.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/abi.h"
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace attnc::bench {

/// Processor time of the calling thread, in seconds.
double threadSeconds();

/// fp32 fused multiply-adds per second of this core, counted as two operations each, over a slice of about 3 ms of
/// independent ones in the widest registers that the processor has.
double fmaPeak();

/// That of all workers together, at the same time.
double fmaPeakOf(const attn_executor *executor);

double median(std::vector<double> values);

/// Bytes per second of one pass of vector loads over `bytes` bytes at `data` (a multiple of 512, 64-byte aligned).
double readBandwidth(const void *data, size_t bytes);

/// Memory aligned to 2 MiB, in huge pages where the system grants them, filled with small random floats.
float *randomFloats(size_t count, float scale, unsigned seed);

struct Measurement {
  double seconds = 0;   ///< median of one run
  double rate = 0;      ///< work / seconds, median
  double reference = 0; ///< median of the reference slices
  double share = 0;     ///< median of the ratios of each run to its neighbouring slices
};

/// Runs `body`, which does `work` units, `repetitions` times between slices of `reference` (units per second).
Measurement measure(double work, int repetitions, const std::function<void()> &body,
                    const std::function<double()> &reference);

/// One line of a table: name, milliseconds, rate in 10^9 units per second, share in percent.
void print(const std::string &name, const Measurement &measurement, const char *unit);

} // namespace attnc::bench
