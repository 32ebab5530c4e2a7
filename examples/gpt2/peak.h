/* What the processor could do at most: fp32 fused multiply-adds per second (each two operations) of an executor's
 * workers together, over a few milliseconds. */
#ifndef PEAK_H
#define PEAK_H

#include <attn/abi.h>

double fma_peak(const attn_executor *executor);

#endif
