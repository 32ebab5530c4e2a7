/* Generates text, byte by byte, with the functions compiled from chargpt.attn and weights that `attnc train` saved. */
#include "chargpt.h"
#include <attn/attn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PROMPT = 64, PART = 64, LENGTH = 640 }; /* PROMPT + PART bytes fit the context */

#ifdef ATTN_CUDA_H /* chargpt.h was generated with --target cuda */
static attn_cuda *computing;
#else
static attn_context *computing;
#endif
static attn_weights *weights;
static attn_status status;

static void must(attn_code code) {
  if (code != ATTN_OK) {
    fprintf(stderr, "%s\n", status.message);
    exit(1);
  }
}

/* Opens the device, or the thread pool of this machine, and loads the weights of a file. */
static void open_computing(const char *file) {
  static attn_context context;
  attn_pool *pool;
  must(attn_pool_create(0, &pool, &status));
  context.executor = attn_pool_executor(pool);
  must(attn_weights_load(&chargpt_model, file, 0, context.executor, &weights, &status));
#ifdef ATTN_CUDA_H
  must(attn_cuda_open(&chargpt_model, weights, ATTN_ANY_DEVICE, &computing, &status));
#else
  context.weights = weights;
  context.arena_bytes = chargpt_write_arena_bytes(1, PROMPT, context.executor->workers);
  context.arena = attn_memory_allocate((size_t)context.arena_bytes);
  computing = &context;
#endif
}

int main(int count, char **arguments) {
  if (count < 2) {
    fprintf(stderr, "usage: chargpt WEIGHTS.safetensors [PROMPT [SEED]]\n");
    return 1;
  }
  const char *prompt = count > 2 ? arguments[2] : "In the beginning";
  uint64_t seed = count > 3 ? strtoull(arguments[3], 0, 10) : 1;
  open_computing(arguments[1]);
  int32_t text[PROMPT + LENGTH], end = 0;
  for (; prompt[end] && end < PROMPT; ++end)
    putchar(text[end] = (unsigned char)prompt[end]);
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  /* Each call continues the last bytes of the text by PART bytes, with other random draws. */
  for (int32_t part = 0; part < LENGTH / PART; ++part, end += PART) {
    int32_t known = end < PROMPT ? end : PROMPT, top_k = 0, written;
    float temperature = 0.8f, top_p = 1;
    uint32_t draws[4];
    attn_random_words(seed, 0, (uint64_t)part, draws);
    must(chargpt_write(computing, 1, known, text + end - known, &known, &temperature, &top_k, &top_p,
                       (const int32_t *)draws, text + end, &written, &status));
    for (int32_t i = 0; i < written; ++i)
      putchar(text[end + i]);
    fflush(stdout);
  }
  clock_gettime(CLOCK_MONOTONIC, &to);
  double seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9;
  printf("\n(%d bytes, %.0f a second)\n", LENGTH, LENGTH / seconds);
}
