//===- Peak.h - measurement of peak computation and memory bandwidth ---------------------------------------------===//
//
// The speed of a kernel is reported as a fraction of the peak that the same cores reach at the same time. Each function
// takes a few milliseconds. Time is the processor time of the thread, which excludes other processes on the core.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/abi.h"
#include <cstddef>

namespace attnc::machine {

/// Processor time of the calling thread, in seconds.
double threadSeconds();

/// Peak fp32 operations per second of this core, with two operations for a fused multiply-add: about 3 ms of
/// independent chains in the widest vector registers.
double fmaPeak();

/// The sum of fmaPeak() over all workers, which run at the same time.
double fmaPeakOf(const attn_executor *executor);

/// Bytes per second of one pass of vector loads over `bytes` bytes at `data` (a multiple of 512, 64-byte aligned).
double readBandwidth(const void *data, size_t bytes);

/// The bandwidth of all workers together, each of which reads a part of the bytes, in wall-clock time.
double readBandwidthOf(const attn_executor *executor, const void *data, size_t bytes);

} // namespace attnc::machine
