/* Counter-based random numbers: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
 * A draw is a function of (seed, stream, index) alone, so any element can be drawn by any thread in any order. */
#ifndef ATTN_RANDOM_H
#define ATTN_RANDOM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Four words for (seed, stream, index): key = seed, counter = (index, stream). Null for `words`: nothing is written. */
void attn_random_words(uint64_t seed, uint64_t stream, uint64_t index, uint32_t words[4]);
/* Uniform in (0, 1), 32 bits of resolution; draw `index` is word index % 4 of block index / 4. */
double attn_random_uniform(uint64_t seed, uint64_t stream, uint64_t index);
/* Standard normal by the inverse distribution function (Acklam's rational form, relative error 1.2e-9). */
double attn_random_normal(uint64_t seed, uint64_t stream, uint64_t index);

#ifdef __cplusplus
}
#endif
#endif
