#define _POSIX_C_SOURCE 199309L
#include "peak.h"
#include <time.h>

/* The widest vector registers of the machine that compiles this file, and enough chains to cover the latency. */
#ifdef __AVX512F__
enum { LANES = 16, CHAINS = 12 };
#else
enum { LANES = 8, CHAINS = 12 };
#endif
enum { ROUNDS = 400000 };
typedef float lanes __attribute__((vector_size(LANES * sizeof(float))));

static void chains(const attn_kernel_args *args, int64_t chunk, void *scratch) {
  (void)scratch;
  lanes a[CHAINS], x = {0}, y = {0};
  x += 0.999f;
  y += 1e-7f;
  for (int c = 0; c < CHAINS; ++c)
    a[c] = x;
  for (int i = 0; i < ROUNDS; ++i) {
#pragma GCC unroll 12
    for (int c = 0; c < CHAINS; ++c)
      a[c] = a[c] * x + y;
  }
  for (int c = 1; c < CHAINS; ++c)
    a[0] += a[c];
  ((lanes *)args->buffers[0])[chunk] = a[0];
}

double fma_peak(const attn_executor *executor) {
  enum { MOST_WORKERS = 256 };
  static lanes results[MOST_WORKERS];
  int64_t workers = executor->workers < MOST_WORKERS ? executor->workers : MOST_WORKERS;
  void *buffers[] = {results};
  attn_kernel_args args = {buffers, 0, 0, 0};
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  executor->parallel_for(executor->self, chains, &args, workers, 0, 0);
  clock_gettime(CLOCK_MONOTONIC, &to);
  double seconds = (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
  return (double)workers * ROUNDS * CHAINS * LANES * 2 / seconds;
}
