//===- MeasureLevels.h - measurement of caches and main memory ----------------------------------------------------===//
#pragma once

#include "attn/threads.h"
#include "compiler/Predict/Machine.h"

namespace attnc::machine {

/// Measures L1, L2, L3 and main memory from the calling thread's core, and returns the four levels in this order, with
/// all members of MemoryLevel set. `bytes` of L1 and L2 is the nominal capacity. `bytes` of L3, which other cores and
/// other guests of the machine share, is the capacity up to which this core's bandwidth stays high. `bytes` of main
/// memory is INT64_MAX. `readByAll` is measured with all workers of `executor` on buffers of 8 MiB or more; for smaller
/// levels it is `read` times the number of workers. `keeps` receives the number of seconds for which L3 retains data
/// that is not accessed; 1000 if the data stay for 32 ms.
std::vector<MemoryLevel> measureLevels(const attn_executor *executor, double &keeps);

} // namespace attnc::machine
