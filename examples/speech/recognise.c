/* Recognises digits in WAV files of 16-bit samples in one channel, at any sample rate:
 *
 *   speech-recognise streaming WEIGHTS.safetensors FILE.wav...
 *   speech-recognise las WEIGHTS.safetensors FILE.wav...
 *
 * streaming.attn reads time steps of 50 ms one after another, as they would arrive from a microphone, and each digit is
 * printed as soon as it is heard. las.attn reads the whole sound. */
#include "las.h"
#include "streaming.h"
#include "wav.h"
#include <attn/attn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEP = 4 * HOP, DIM = 96, LAYERS = 2, WIDTH = 3, TEXT = 6 }; /* as in streaming.attn and las.attn */

static attn_context context;
static attn_status status;

static void must(attn_code code) {
  if (code != ATTN_OK) {
    fprintf(stderr, "speech-recognise: %s\n", status.message);
    exit(1);
  }
}

static void reserve(int64_t bytes) {
  attn_memory_free(context.arena, (size_t)context.arena_bytes);
  context.arena_bytes = bytes;
  context.arena = attn_memory_allocate((size_t)bytes);
}

/* Class 0 is no digit. */
static void print_digit(int32_t class) {
  if (class) {
    printf(" %d", class - 1);
    fflush(stdout);
  }
}

static void stream(const float *samples, int blocks) {
  static float before[2 * STEP], taps[WIDTH * WIDTH * DIM], recurrent[LAYERS * 2 * DIM];
  static int32_t best[2]; /* all of these are states: memory between time steps */
  reserve(streaming_next_arena_bytes(1, context.executor->workers));
  for (int32_t t = 0, class; t < blocks * (BLOCK / STEP); ++t) {
    must(streaming_next(&context, 1, samples + (size_t)t * STEP, &t, before, taps, best, recurrent, &class, &status));
    print_digit(class);
  }
}

static void spell(const float *samples, int blocks) {
  int32_t length = blocks, text[TEXT];
  float *alignment = malloc(sizeof *alignment * TEXT * (size_t)blocks);
  reserve(las_recognise_arena_bytes(1, blocks, context.executor->workers));
  must(las_recognise(&context, 1, blocks, samples, &length, text, alignment, &status));
  for (int i = 0; i < TEXT; ++i)
    print_digit(text[i]);
  free(alignment);
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

int main(int count, char **arguments) {
  int streams = count > 1 && strcmp(arguments[1], "streaming") == 0;
  if (count < 4 || (!streams && strcmp(arguments[1], "las") != 0)) {
    fprintf(stderr, "usage: speech-recognise streaming|las WEIGHTS.safetensors FILE.wav...\n");
    return 1;
  }
  attn_pool *pool;
  attn_weights *weights;
  must(attn_pool_create(1, &pool, &status));
  context.executor = attn_pool_executor(pool);
  const attn_model *model = streams ? &streaming_model : &las_model;
  must(attn_weights_load(model, arguments[2], 0, context.executor, &weights, &status));
  context.weights = weights;
  double sound = 0, computing = 0;
  for (int i = 3; i < count; ++i) {
    FILE *file = fopen(arguments[i], "rb");
    int blocks;
    float *samples = file ? wav_read(file, &blocks) : 0;
    if (!samples) {
      fprintf(stderr, "speech-recognise: %s: not a WAV file of 16-bit samples in one channel\n", arguments[i]);
      return 1;
    }
    fclose(file);
    printf("%s:", arguments[i]);
    double start = seconds();
    (streams ? stream : spell)(samples, blocks);
    computing += seconds() - start;
    printf("\n");
    sound += (double)blocks * BLOCK / RATE;
    free(samples);
  }
  printf("%.1f s of sound in %.4f s on one core: real-time factor %.4f\n", sound, computing, computing / sound);
  return 0;
}
