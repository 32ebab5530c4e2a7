/* Writes text, byte by byte, with the functions compiled from chargpt.attn and weights that `attnc train` saved. */
#include "chargpt.h"
#include <attn/attn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CONTEXT = 128, VOCABULARY = 256, LENGTH = 600 };

static attn_context context;
static attn_status status;
static int32_t text[4096];
static float logits[CONTEXT * VOCABULARY];

static void must(attn_code code) {
  if (code != ATTN_OK) {
    fprintf(stderr, "%s\n", status.message);
    exit(1);
  }
}

/* A byte by its probability, sharpened by a temperature below one; draw number `draw` of the seed. */
static int sample(const float *logit, double temperature, uint64_t seed, uint64_t draw) {
  double weights[VOCABULARY], sum = 0, most = logit[0];
  for (int i = 1; i < VOCABULARY; ++i)
    most = fmax(most, logit[i]);
  for (int i = 0; i < VOCABULARY; ++i)
    sum += weights[i] = exp((logit[i] - most) / temperature);
  double left = attn_random_uniform(seed, 0, draw) * sum;
  int chosen = 0;
  while (chosen < VOCABULARY - 1 && (left -= weights[chosen]) > 0)
    ++chosen;
  return chosen;
}

int main(int count, char **arguments) {
  if (count < 2) {
    fprintf(stderr, "usage: chargpt WEIGHTS.safetensors [PROMPT [SEED]]\n");
    return 1;
  }
  const char *prompt = count > 2 ? arguments[2] : "In the beginning";
  uint64_t seed = count > 3 ? strtoull(arguments[3], 0, 10) : 1;
  attn_pool *pool;
  must(attn_pool_create(0, &pool, &status));
  context.executor = attn_pool_executor(pool);
  must(attn_weights_load(&chargpt_model, arguments[1], 0, context.executor, &context.weights, &status));
  context.arena_bytes = chargpt_logits_arena_bytes(1, CONTEXT, context.executor->workers);
  context.arena = attn_memory_allocate((size_t)context.arena_bytes);
  int length = 0;
  for (; prompt[length] && length < CONTEXT; ++length)
    text[length] = (unsigned char)prompt[length];
  fwrite(prompt, 1, (size_t)length, stdout);
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  for (int written = 0; written < LENGTH; ++written, ++length) {
    int64_t seen = length < CONTEXT ? length : CONTEXT;
    must(chargpt_logits(&context, 1, seen, text + length - seen, logits, &status));
    text[length] = sample(logits + (seen - 1) * VOCABULARY, 0.8, seed, (uint64_t)written);
    putchar(text[length]);
    fflush(stdout);
  }
  clock_gettime(CLOCK_MONOTONIC, &to);
  double seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9;
  printf("\n(%d bytes in %.2f s)\n", LENGTH, seconds);
  attn_memory_free(context.arena, (size_t)context.arena_bytes);
  attn_weights_free(context.weights);
  attn_pool_destroy(pool);
}
