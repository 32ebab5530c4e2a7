/* Peak fp32 operations per second of all workers of an executor, measured for a few milliseconds; a fused multiply-add
 * is two operations. */
#ifndef PEAK_H
#define PEAK_H

#include <attn/abi.h>

double fma_peak(const attn_executor *executor);

#endif
