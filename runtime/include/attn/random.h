/* Counter-based random numbers: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
 * A random draw is a function of (seed, stream, index) alone, so any thread can compute any element in any order. */
#ifndef ATTN_RANDOM_H
#define ATTN_RANDOM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Computes four words for (seed, stream, index): key = seed, counter = (index, stream). Does nothing if `words` is
 * null. */
void attn_random_words(uint64_t seed, uint64_t stream, uint64_t index, uint32_t words[4]);
/* Returns a number uniform in (0, 1) with 32 bits of resolution: draw `index` is word index % 4 of block index / 4. */
double attn_random_uniform(uint64_t seed, uint64_t stream, uint64_t index);
/* Returns a standard normal number by the inverse distribution function (Acklam's rational form, relative error
 * 1.2e-9). */
double attn_random_normal(uint64_t seed, uint64_t stream, uint64_t index);

#ifdef __cplusplus
}
#endif
#endif
