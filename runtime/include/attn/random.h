/* Counter-based random numbers: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
 * A random number is a function of (seed, stream, index) alone, so any thread can compute any element in any order.
 * Streams are independent sequences; attn_weights_initialise draws each parameter from its own stream. Generated code
 * draws by the same algorithm from other counters (docs/dialect-attn.md). */
#ifndef ATTN_RANDOM_H
#define ATTN_RANDOM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Computes the block of four words for (seed, stream, index): key = seed, counter = (index, stream), low words first.
 * Does nothing if `words` is null. */
void attn_random_words(uint64_t seed, uint64_t stream, uint64_t index, uint32_t words[4]);
/* Returns number `index` of a stream, uniform in (0, 1): (w + 1/2) / 2^32, where w is word `index % 4` of the block
 * (seed, stream, index / 4) of attn_random_words. */
double attn_random_uniform(uint64_t seed, uint64_t stream, uint64_t index);
/* Returns number `index` of a stream as a standard normal number: the quantile (inverse distribution function) of
 * attn_random_uniform(seed, stream, index), by Acklam's rational approximation with relative error 1.2e-9. */
double attn_random_normal(uint64_t seed, uint64_t stream, uint64_t index);

#ifdef __cplusplus
}
#endif
#endif
