//===- MeasureLevels.h - measurement of caches and main memory ----------------------------------------------------===//
#pragma once

#include "attn/threads.h"
#include "compiler/Predict/Machine.h"

namespace attnc::machine {

/// Measures L1, L2, L3 and main memory from one core, and the bandwidth of all workers of `executor` together. Returns
/// the levels in this order. The size `bytes` of a cache that other cores, or other guests of the machine, share is the
/// measured share of this core rather than the nominal size. `keeps` receives the number of seconds for which the last
/// cache retains data that is not accessed.
std::vector<MemoryLevel> measureLevels(const attn_executor *executor, double &keeps);

} // namespace attnc::machine
