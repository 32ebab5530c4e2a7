/* Measurement of peak computation. */
#ifndef PEAK_H
#define PEAK_H

#include <attn/abi.h>

/* Peak f32 operations per second of all workers of `executor` together (at most 256 workers). A fused multiply-add is
 * two operations. Runs independent chains of multiply-adds for a few milliseconds, in the vector registers for which
 * peak.c is compiled, and divides by wall-clock time. */
double fma_peak(const attn_executor *executor);

#endif
