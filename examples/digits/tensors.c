/* Writes the digits as tensors for `attnc train`: `images` f32[1797, 8, 8] from 0 to 1 and `digits` i32[1797], in a
 * fixed random order, so that the held-out images are from all writers.
 *
 *   digits-tensors digits.csv OUT.safetensors
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IMAGES = 1797, PIXELS = 64 };

static float images[IMAGES][PIXELS];
static int32_t digits[IMAGES];

static void fail(const char *path, const char *why) {
  fprintf(stderr, "%s: %s\n", path, why);
  exit(1);
}

static void load(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) fail(path, "cannot be opened");
  for (int i = 0; i < IMAGES; ++i) {
    int ok = 1;
    for (int p = 0; p < PIXELS; ++p) {
      ok = ok && fscanf(file, "%f,", &images[i][p]) == 1;
      images[i][p] /= 16;
    }
    if (!ok || fscanf(file, "%d", &digits[i]) != 1) fail(path, "expected 1797 lines of 64 pixels and a digit");
  }
  fclose(file);
}

/* Fisher-Yates shuffle with a linear congruential generator (Knuth's MMIX). */
static void shuffle(void) {
  uint64_t state = 1;
  for (int i = IMAGES - 1; i > 0; --i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    int j = (int)((state >> 33) % (uint64_t)(i + 1));
    float image[PIXELS];
    int32_t digit = digits[i];
    memcpy(image, images[i], sizeof image);
    memcpy(images[i], images[j], sizeof image), digits[i] = digits[j];
    memcpy(images[j], image, sizeof image), digits[j] = digit;
  }
}

int main(int count, char **arguments) {
  if (count != 3) fail("usage", "digits-tensors digits.csv OUT.safetensors");
  load(arguments[1]);
  shuffle();
  char header[512];
  uint64_t length = (uint64_t)snprintf(
      header, sizeof header,
      "{\"images\":{\"dtype\":\"F32\",\"shape\":[%d,8,8],\"data_offsets\":[0,%zu]},"
      "\"digits\":{\"dtype\":\"I32\",\"shape\":[%d],\"data_offsets\":[%zu,%zu]}}",
      IMAGES, sizeof images, IMAGES, sizeof images, sizeof images + sizeof digits);
  while (length % 8) header[length++] = ' ';
  FILE *file = fopen(arguments[2], "wb");
  if (!file || fwrite(&length, 8, 1, file) != 1 || fwrite(header, length, 1, file) != 1 ||
      fwrite(images, sizeof images, 1, file) != 1 || fwrite(digits, sizeof digits, 1, file) != 1 || fclose(file))
    fail(arguments[2], "cannot be written");
  return 0;
}
