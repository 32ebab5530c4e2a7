//===- Peak.h - measurement of peak computation and memory bandwidth ----------------------------------------------===//
//
// The speed of a kernel is reported as a fraction of the peak that the same cores reach at about the same time. Unless
// stated otherwise, time is the processor time of the calling thread, which excludes other processes on the core.
// Measurements need a processor with AVX2 and FMA, and use AVX-512 if the processor supports it.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/abi.h"
#include <cstddef>

namespace attnc::machine {

/// Processor time that the calling thread has used so far, in seconds.
double threadSeconds();

/// Peak f32 operations per second of the calling thread's core; a fused multiply-add is two operations. Runs
/// independent chains of multiply-adds in the widest vector registers for about 3 ms.
double fmaPeak();

/// The sum of the results of fmaPeak() that all workers of `executor` measure at the same time.
double fmaPeakOf(const attn_executor *executor);

/// Bytes per second of one pass of vector loads over `bytes` bytes at `data`, by the calling thread. `bytes` must be a
/// multiple of 512, and `data` aligned to 64 bytes.
double readBandwidth(const void *data, size_t bytes);

/// Bytes per second, in wall-clock time, of one pass by all workers of `executor` together. The workers read pieces of
/// 4 MiB; a remainder of `bytes` is not read, so the result is 0 below 4 MiB. `data` must be aligned to 64 bytes.
double readBandwidthOf(const attn_executor *executor, const void *data, size_t bytes);

} // namespace attnc::machine
