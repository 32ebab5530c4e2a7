/* GPT-2 from gpt2.attn: prefill of a prompt of the length of the context; prints times and fractions of the peak.
 *   gpt2 [model.safetensors]     or a folder with it; without a file, weights are drawn from their initialisers */
#include "gpt2.h"
#include "peak.h"
#include <attn/attn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { REPEATS = 5 };

static void must(attn_code code, const attn_status *status) {
  if (code == ATTN_OK)
    return;
  fprintf(stderr, "%s\n", status->message);
  exit(1);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int ascending(const void *a, const void *b) { return *(const double *)a < *(const double *)b ? -1 : 1; }

static const attn_parameter_info *parameter(const char *checkpoint) {
  for (int64_t i = 0; i < gpt2_model.parameter_count; ++i)
    if (strcmp(gpt2_model.parameters[i].checkpoint, checkpoint) == 0)
      return &gpt2_model.parameters[i];
  exit(1);
}

/* Useful operations: projections of each position, the causal half of attention, `rows` rows of logits. */
static double operations(double seq, double rows) {
  double vocab = (double)parameter("wte.weight")->shape[0], dim = (double)parameter("wte.weight")->shape[1];
  double layers = (double)parameter("h.{0}.ln_1.weight")->counts[0];
  return layers * (24 * seq * dim * dim + 2 * seq * seq * dim) + 2 * rows * dim * vocab;
}

/* Runs one entry point REPEATS times between measurements of the peak; prints medians. */
static void report(const attn_context *context, const char *name, int64_t seq, int64_t rows, const int32_t *tokens,
                   float *logits, attn_status *status) {
  double seconds[REPEATS], shares[REPEATS];
  for (int i = -1; i < REPEATS; ++i) {
    double peak = fma_peak(context->executor), from = now();
    must(rows == 1 ? gpt2_last(context, 1, seq, tokens, logits, status)
                   : gpt2_logits(context, 1, seq, tokens, logits, status),
         status);
    double took = now() - from;
    peak = 0.5 * (peak + fma_peak(context->executor));
    if (i >= 0) /* the first run warms up */
      seconds[i] = took, shares[i] = operations((double)seq, (double)rows) / took / peak;
  }
  qsort(seconds, REPEATS, sizeof *seconds, ascending);
  qsort(shares, REPEATS, sizeof *shares, ascending);
  printf("%-22s %7.1f ms  %5.1f GFLOP/s  %4.1f %% of the FMA peak of %lld threads\n", name, 1e3 * seconds[REPEATS / 2],
         operations((double)seq, (double)rows) / seconds[REPEATS / 2] * 1e-9, 100 * shares[REPEATS / 2],
         (long long)context->executor->workers);
}

int main(int count, char **arguments) {
  attn_status status;
  attn_pool *pool;
  attn_weights *weights;
  must(attn_pool_create(0, &pool, &status), &status);
  const attn_executor *executor = attn_pool_executor(pool);
  double from = now();
  must(count > 1 ? attn_weights_load(&gpt2_model, arguments[1], ATTN_ALLOW_EXTRA, executor, &weights, &status)
                 : attn_weights_initialise(&gpt2_model, 0, executor, &weights, &status), &status);
  printf("weights %s and packed in %.1f s\n", count > 1 ? "loaded" : "generated", now() - from);

  const int64_t seq = parameter("wpe.weight")->shape[0], vocab = parameter("wte.weight")->shape[0];
  int64_t last_bytes = gpt2_last_arena_bytes(1, seq, executor->workers);
  int64_t all_bytes = gpt2_logits_arena_bytes(1, seq, executor->workers);
  int64_t arena_bytes = last_bytes > all_bytes ? last_bytes : all_bytes;
  attn_context context = {weights, executor, attn_memory_allocate((size_t)arena_bytes), arena_bytes};
  int32_t *tokens = malloc((size_t)seq * sizeof *tokens);
  float *logits = attn_memory_allocate((size_t)(seq * vocab) * sizeof *logits);
  if (!context.arena || !tokens || !logits)
    return fprintf(stderr, "no memory\n"), 1;
  for (int64_t i = 0; i < seq; ++i)
    tokens[i] = (int32_t)(attn_random_uniform(1, 0, (uint64_t)i) * (double)vocab);

  printf("prefill of %lld tokens; arena %.1f MB (last), %.1f MB (all)\n", (long long)seq, 1e-6 * (double)last_bytes,
         1e-6 * (double)all_bytes);
  report(&context, "logits of the last", seq, 1, tokens, logits, &status);
  report(&context, "logits of all", seq, seq, tokens, logits, &status);
  attn_weights_free(weights);
  attn_pool_destroy(pool);
}
