/* Writes text, byte by byte, with the functions compiled from chargpt.attn and weights that `attnc train` saved. */
#include "chargpt.h"
#include <attn/attn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CONTEXT = 128, VOCABULARY = 256, LENGTH = 600, CACHE = 5 * CONTEXT * 128 };

static attn_context context;
static attn_status status;
static int32_t text[4096], length; /* of the text, `length` bytes from the last restart on are in the caches */
static float logits[CONTEXT * VOCABULARY], keys[CACHE], values[CACHE];

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

/* Takes in `count` bytes; returns the logits of what follows them. */
static const float *take(const int32_t *bytes, int64_t count) {
  must(count == 1
           ? chargpt_next(&context, 1, CONTEXT, bytes, &length, keys, values, logits, &status)
           : chargpt_next_prefill(&context, 1, count, CONTEXT, bytes, &length, keys, values, logits, &status));
  length += (int32_t)count;
  return logits + (count - 1) * VOCABULARY;
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
  context.arena_bytes = chargpt_next_prefill_arena_bytes(1, CONTEXT, CONTEXT, context.executor->workers);
  context.arena = attn_memory_allocate((size_t)context.arena_bytes);
  int end = 0;
  for (; prompt[end] && end < CONTEXT; ++end)
    text[end] = (unsigned char)prompt[end];
  fwrite(prompt, 1, (size_t)end, stdout);
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  const float *logit = take(text, end);
  for (int written = 0; written < LENGTH; ++written) {
    text[end] = sample(logit, 0.8, seed, (uint64_t)written);
    putchar(text[end++]);
    fflush(stdout);
    if (length == CONTEXT) { /* full: begins anew with the last half */
      length = 0;
      logit = take(text + end - CONTEXT / 2, CONTEXT / 2);
    } else {
      logit = take(text + end - 1, 1);
    }
  }
  clock_gettime(CLOCK_MONOTONIC, &to);
  double seconds = (double)(to.tv_sec - from.tv_sec) + (double)(to.tv_nsec - from.tv_nsec) * 1e-9;
  printf("\n(%d bytes in %.2f s)\n", LENGTH, seconds);
  attn_memory_free(context.arena, (size_t)context.arena_bytes);
  attn_weights_free(context.weights);
  attn_pool_destroy(pool);
}
