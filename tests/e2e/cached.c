/* Calls the generated header's functions on states: truncates positions and copies states between rows. */
#include "cached.h"
#include <attn/attn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 2, KNOWN = 5, CAPACITY = 12, VOCAB = 17, CACHE = BATCH * CAPACITY * 16, RING = 5 * 16 };

static attn_status status;
static attn_context context;

static void must(int holds, int line, const char *what) {
  if (holds)
    return;
  fprintf(stderr, "cached.c:%d: %s; status: %s\n", line, what, status.message);
  exit(1);
}
#define MUST(CONDITION) must(CONDITION, __LINE__, #CONDITION)

static int are_same(const float *a, const float *b) {
  float most = 0;
  for (int i = 0; i < VOCAB; ++i)
    most = fmaxf(most, fabsf(a[i] - b[i]));
  return most < 1e-4f;
}

static void make_context(void) {
  int64_t bytes[] = {cached_next_prefill_arena_bytes(BATCH, KNOWN, CAPACITY, 1),
                     cached_next_arena_bytes(BATCH, CAPACITY, 1), cached_line_prefill_arena_bytes(KNOWN, 1),
                     cached_line_arena_bytes(1)};
  for (int i = 0; i < 4; ++i)
    context.arena_bytes = bytes[i] > context.arena_bytes ? bytes[i] : context.arena_bytes;
  context.arena = attn_memory_allocate((size_t)context.arena_bytes);
  MUST(attn_weights_initialise(&cached_model, 1, 0, &context.weights, &status) == ATTN_OK);
}

static void check_caches(void) {
  static float keys[CACHE], values[CACHE], all[BATCH * KNOWN * VOCAB];
  float first[BATCH * VOCAB], again[BATCH * VOCAB];
  int32_t text[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3}, length[BATCH] = {0, 0}, token[BATCH] = {7, 11};
  int32_t known[BATCH] = {KNOWN, KNOWN}, back[BATCH] = {KNOWN, 2}, more[BATCH] = {KNOWN, 3}, from[BATCH] = {1, 1};
  MUST(cached_next_prefill(&context, BATCH, KNOWN, CAPACITY, text, length, keys, values, all, &status) == ATTN_OK);
  length[0] = length[1] = KNOWN;
  MUST(cached_next(&context, BATCH, CAPACITY, token, length, keys, values, first, &status) == ATTN_OK);
  length[0] = length[1] = KNOWN + 1;

  MUST(cached_next_truncate(BATCH, length, known, &status) == ATTN_OK && length[0] == KNOWN && length[1] == KNOWN);
  MUST(cached_next(&context, BATCH, CAPACITY, token, length, keys, values, again, &status) == ATTN_OK);
  MUST(are_same(first, again) && are_same(first + VOCAB, again + VOCAB) && !are_same(first, first + VOCAB));

  /* Both rows continue from the second row. */
  token[0] = token[1];
  MUST(cached_next_reorder(BATCH, CAPACITY, keys, values, from, &status) == ATTN_OK);
  MUST(cached_next(&context, BATCH, CAPACITY, token, length, keys, values, again, &status) == ATTN_OK);
  MUST(are_same(first + VOCAB, again) && are_same(first + VOCAB, again + VOCAB));

  MUST(cached_next_truncate(BATCH, length, back, &status) == ATTN_OK && length[0] == KNOWN && length[1] == 2);
  MUST(cached_next_truncate(BATCH, length, more, &status) == ATTN_OUT_OF_RANGE && length[1] == 2);
  from[0] = BATCH;
  MUST(cached_next_reorder(BATCH, CAPACITY, keys, values, from, &status) == ATTN_OUT_OF_RANGE);
}

/* Checks one sequence, of which two positions can be truncated. */
static void check_rings(void) {
  static float keys[RING], values[RING], all[KNOWN * VOCAB], first[VOCAB], again[VOCAB];
  int32_t text[KNOWN] = {3, 1, 4, 1, 5}, length = 0, count = KNOWN, token = 7, other = 2, to = KNOWN;
  MUST(cached_line_prefill(&context, KNOWN, text, &length, &count, keys, values, all, &status) == ATTN_OK);
  length = KNOWN;
  MUST(cached_line(&context, &token, &length, keys, values, first, &status) == ATTN_OK);
  length = KNOWN + 1;
  MUST(cached_line(&context, &other, &length, keys, values, again, &status) == ATTN_OK);
  length = KNOWN + 2;
  MUST(cached_line_truncate(&length, &to, &status) == ATTN_OK && length == KNOWN);
  MUST(cached_line(&context, &token, &length, keys, values, again, &status) == ATTN_OK && are_same(first, again));
  to = KNOWN - 3;
  MUST(cached_line_truncate(&length, &to, &status) == ATTN_OUT_OF_RANGE && length == KNOWN);
}

int main(void) {
  make_context();
  check_caches();
  check_rings();
  attn_memory_free(context.arena, (size_t)context.arena_bytes);
  attn_weights_free(context.weights);
  return 0;
}
