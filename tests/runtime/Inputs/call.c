/* Calls the model of pool.h and prints its result or its error. */
#include "pool.h"
#include <math.h>
#include <stdio.h>

int main(void) {
  static float q[4 * 16], k[6 * 16], result[4 * 16];
  attn_status status;
  attn_context context = {0};
  for (int i = 0; i < 6 * 16; ++i)
    k[i] = 0.5f;
  context.arena_bytes = pool_pool_arena_bytes(4, 6, 1);
  context.arena = attn_memory_allocate((size_t)context.arena_bytes);
  attn_code code = attn_weights_initialise(&pool_model, 1, 0, &context.weights, &status);
  if (code == ATTN_OK)
    code = pool_pool(&context, 4, 6, q, k, result, &status);
  printf("%s\n", code == ATTN_OK && fabsf(result[63] - 0.5f) < 1e-5f ? "computed" : status.message);
  return 0;
}
