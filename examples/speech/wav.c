#include "wav.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A number of little-endian bytes. */
static uint32_t number(const unsigned char *at, int bytes) {
  return bytes ? at[0] | number(at + 1, bytes - 1) << 8 : 0;
}

/* The bytes of a file up to its end, as a pipe has no size. */
static unsigned char *contents(FILE *file, size_t *size) {
  size_t room = 1 << 16;
  unsigned char *bytes = malloc(room);
  *size = 0;
  for (size_t count; bytes && (count = fread(bytes + *size, 1, room - *size, file)) > 0;)
    if ((*size += count) == room)
      bytes = realloc(bytes, room *= 2);
  return bytes;
}

enum { REACH = 16, GRAIN = 512 }; /* zero crossings of the filter on each side, and points of its table between two */

/* The low-pass filter: a Hann-windowed sinc function, from its centre to its end. */
static const float *low_pass(void) {
  static float table[REACH * GRAIN + 1];
  for (int i = 0; table[0] == 0 && i < REACH * GRAIN; ++i) {
    double x = M_PI * (REACH * GRAIN - 1 - i) / GRAIN; /* the first element is the last one that is written */
    table[REACH * GRAIN - 1 - i] = (float)((x > 0 ? sin(x) / x : 1) * (0.5 + 0.5 * cos(x / REACH)));
  }
  return table;
}

/* Sample `at` of a sound in another rate, filtered at half of the lower rate. `ratio` is the input's rate divided by
 * the output's. */
static float resampled(const unsigned char *samples, long count, double ratio, long at) {
  const float *filter = low_pass();
  double place = (double)at * ratio, cutoff = ratio > 1 ? 1 / ratio : 1, sum = 0;
  long last = (long)(place + REACH / cutoff), first = (long)ceil(place - REACH / cutoff);
  for (long i = first > 0 ? first : 0; i <= last && i < count; ++i)
    sum += filter[(int)(fabs((double)i - place) * cutoff * GRAIN + 0.5)] * (int16_t)number(samples + 2 * i, 2);
  return (float)(sum * cutoff / 32768);
}

float *wav_read(FILE *file, int *blocks) {
  size_t size, at = 12;
  unsigned char *bytes = contents(file, &size);
  float *result = 0;
  double ratio = 0;
  if (!bytes || size < 12 || memcmp(bytes, "RIFF", 4) != 0 || memcmp(bytes + 8, "WAVE", 4) != 0)
    size = 0;
  for (; !result && at + 8 <= size; at += 8 + number(bytes + at + 4, 4)) {
    const unsigned char *chunk = bytes + at + 8;
    if (memcmp(bytes + at, "fmt ", 4) == 0 && at + 24 <= size && number(chunk, 4) == (1 | 1 << 16) && /* PCM, mono */
        number(chunk + 14, 2) == 16)
      ratio = number(chunk + 4, 4) / (double)RATE;
    if (memcmp(bytes + at, "data", 4) == 0 && ratio > 0) {
      size_t stated = number(bytes + at + 4, 4), present = size - at - 8; /* a pipe's header may state too many */
      long count = (long)((stated < present ? stated : present) / 2);
      long outputs = (long)((double)count / ratio);
      *blocks = (int)(outputs / BLOCK) + 1;
      result = calloc((size_t)*blocks * BLOCK, sizeof *result);
      for (long i = 0; result && i < outputs; ++i)
        result[i] = resampled(chunk, count, ratio, i);
    }
  }
  free(bytes);
  return result;
}
