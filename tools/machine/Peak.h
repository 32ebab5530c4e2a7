//===- Peak.h - what the processor can do, measured --------------------------------------------------------------===//
//
// A kernel's speed is told as a share of what the same cores can do in the same moment. Each of these takes a few
// milliseconds. Time is the thread's own processor time: what others run on the core does not count.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "attn/abi.h"
#include <cstddef>

namespace attnc::machine {

/// Processor time of the calling thread, in seconds.
double threadSeconds();

/// fp32 fused multiply-adds per second of this core, counted as two operations each, over a slice of about 3 ms of
/// independent ones in the widest registers that the processor has.
double fmaPeak();

/// That of all workers together, at the same time.
double fmaPeakOf(const attn_executor *executor);

/// Bytes per second of one pass of vector loads over `bytes` bytes at `data` (a multiple of 512, 64-byte aligned).
double readBandwidth(const void *data, size_t bytes);

/// That of all workers together, which share the bytes, by the clock on the wall.
double readBandwidthOf(const attn_executor *executor, const void *data, size_t bytes);

} // namespace attnc::machine
