/* Classifies handwritten digits with the functions compiled from digits.attn. */
#include "digits.h"
#include <attn/attn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { IMAGES = 1797, HELD_OUT = 397, TRAIN = IMAGES - HELD_OUT, SPLITS = 10, SHOWN = 3 };

#ifdef ATTN_CUDA_H /* digits.h was generated with --target cuda */
static attn_cuda *computing;
#else
static attn_context *computing;
#endif
static float pixels[IMAGES][64], scores[IMAGES][10], influence[SHOWN][TRAIN];
static int32_t digits[IMAGES];
static attn_status status;

static void must(attn_code code) {
  if (code != ATTN_OK) {
    fprintf(stderr, "%s\n", status.message);
    exit(1);
  }
}

/* Opens the device, or the thread pool of this machine. */
static void open_computing(void) {
#ifdef ATTN_CUDA_H
  must(attn_cuda_open(&digits_model, 0, ATTN_ANY_DEVICE, &computing, &status));
  printf("computed on %s\n", attn_cuda_device_name(computing));
#else
  static attn_context context = {.arena_bytes = 64 << 20};
  static attn_pool *pool;
  must(attn_pool_create(0, &pool, &status));
  context.executor = attn_pool_executor(pool);
  context.arena = attn_memory_allocate((size_t)context.arena_bytes);
  computing = &context;
#endif
}

static void load(const char *path, float (*image)[64], int32_t *digit) {
  FILE *file = fopen(path, "r");
  for (int i = 0, ok = file != 0; i < IMAGES; ++i) {
    for (int p = 0; p < 64; ++p) ok = ok && fscanf(file, "%f,", &image[i][p]) == 1;
    if (!ok || fscanf(file, "%d", &digit[i]) != 1) {
      fprintf(stderr, "%s: expected %d lines of 64 pixels and a digit\n", path, IMAGES);
      exit(1);
    }
  }
  fclose(file);
}

static int right(int from, int count) {
  int result = 0;
  for (int i = 0; i < count; ++i) {
    int best = 0;
    for (int c = 1; c < 10; ++c) best = scores[i][c] > scores[i][best] ? c : best;
    result += best == digits[from + i];
  }
  return result;
}

/* Chooses the bandwidth on the training images alone, then classifies the others; returns the accuracy. */
static double run(float *bandwidth) {
  int best = -1;
  for (float candidate = 2; candidate <= 12; ++candidate) {
    must(digits_leave_one_out(computing, TRAIN, pixels[0], digits, &candidate, scores[0], &status));
    int hits = right(0, TRAIN);
    if (hits > best) best = hits, *bandwidth = candidate;
  }
  must(digits_classify(computing, HELD_OUT, TRAIN, pixels[TRAIN], pixels[0], digits, bandwidth, scores[0], &status));
  return 100.0 * right(TRAIN, HELD_OUT) / HELD_OUT;
}

static void show(const float *image, const float *key, int32_t digit, int32_t label, float weight) {
  printf("  a %d and its nearest key, a %d (weight %.2f)\n", digit, label, weight);
  for (int row = 0; row < 64; row += 8)
    for (int x = 0; x < 17; ++x)
      putchar(x == 16 ? '\n' : " .:-=+*#%@@"[(int)(x < 8 ? image[row + x] : key[row + x - 8]) * 10 / 16]);
}

int main(int count, char **arguments) {
  load(count > 1 ? arguments[1] : "digits.csv", pixels, digits);
  float bandwidth;
  open_computing();
  printf("file's own order, new writers: %.2f %% right", run(&bandwidth));
  printf(" (bandwidth %g chosen on the training images)\n", bandwidth);
  must(digits_influence(computing, SHOWN, TRAIN, pixels[TRAIN], pixels[0], &bandwidth, influence[0], &status));
  for (int i = 0; i < SHOWN; ++i) {
    int best = 0;
    for (int j = 1; j < TRAIN; ++j) best = influence[i][j] > influence[i][best] ? j : best;
    show(pixels[TRAIN + i], pixels[best], digits[TRAIN + i], digits[best], influence[i][best]);
  }
  double mean = 0;
  for (int split = 0; split < SPLITS; ++split) {
    for (int i = IMAGES - 1; i > 0; --i) { /* Fisher-Yates shuffle */
      int j = (int)(attn_random_uniform(1, (uint64_t)split, (uint64_t)i) * (i + 1));
      for (int p = 0; p < 64; ++p) {
        float pixel = pixels[i][p];
        pixels[i][p] = pixels[j][p], pixels[j][p] = pixel;
      }
      int32_t digit = digits[i];
      digits[i] = digits[j], digits[j] = digit;
    }
    mean += run(&bandwidth) / SPLITS;
  }
  printf("ten shuffled splits: %.2f %% right on average\n", mean);
  struct timespec from, to;
  clock_gettime(CLOCK_MONOTONIC, &from);
  for (int i = 0; i < 100; ++i)
    must(digits_classify(computing, HELD_OUT, TRAIN, pixels[TRAIN], pixels[0], digits, &bandwidth, scores[0], &status));
  clock_gettime(CLOCK_MONOTONIC, &to);
  double us = (double)(to.tv_sec - from.tv_sec) * 1e6 + (double)(to.tv_nsec - from.tv_nsec) * 1e-3;
  printf("time per image: %.2f us\n", us / (100 * HELD_OUT));
}
