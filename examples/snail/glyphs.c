/* Writes the glyphs of the alphabets in GNU Unifont as tensors for `attnc train`: `training` and `held_out`
 * f32[glyphs, 16, 16] of 0 and 1. Every fifth block of 256 code points is held out, including many whole scripts.
 *
 *   snail-glyphs /usr/share/unifont/unifont.hex OUT.safetensors
 *
 * A line of unifont.hex is a code point, a colon, and the 16 rows of a glyph of 8 or 16 columns as hexadecimal digits.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 16, MOST = 16384, FEWEST_PIXELS = 16, MOST_PIXELS = 110 };

typedef struct {
  float pixels[SIDE][SIDE];
} glyph;

static glyph training[MOST], held_out[MOST];
static size_t training_count, held_out_count;

static void fail(const char *path, const char *why) {
  fprintf(stderr, "%s: %s\n", path, why);
  exit(1);
}

/* Alphabets, abjads and syllabaries; not the ideographs of Chinese, nor Hangul syllables, nor symbols. */
static int is_of_an_alphabet(long code) {
  return (code > 0x20 && code < 0x2000) || (code > 0x3040 && code < 0x3100) || (code >= 0xA000 && code < 0xAC00);
}

/* Reads `rows`, the 16 rows of a glyph; narrow glyphs are centred. The result is the number of its pixels. */
static int decode(const char *rows, glyph *out) {
  int digits = (int)strlen(rows) / SIDE, pixels = 0;
  memset(out, 0, sizeof *out);
  for (int i = 0; i < SIDE; ++i)
    for (int j = 0; j < 4 * digits; ++j) {
      char digit[2] = {rows[i * digits + j / 4], 0};
      int bit = (int)(strtol(digit, NULL, 16) >> (3 - j % 4)) & 1;
      out->pixels[i][j + (SIDE - 4 * digits) / 2] = (float)bit;
      pixels += bit;
    }
  return pixels;
}

static int is_among(const glyph *wanted, const glyph *glyphs, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (!memcmp(wanted, &glyphs[i], sizeof *wanted)) return 1;
  return 0;
}

/* The glyphs of the alphabets. Equal glyphs of several scripts are one class. Small marks are omitted, and so are the
 * filled boxes with a number that stand for unassigned code points. */
static void load(const char *path) {
  FILE *file = fopen(path, "r");
  if (!file) fail(path, "cannot be opened; Debian's package unifont has it");
  unsigned code;
  char rows[4 * SIDE + 1];
  glyph next;
  while (fscanf(file, "%x:%64s", &code, rows) == 2) {
    if (!is_of_an_alphabet(code)) continue;
    int pixels = decode(rows, &next);
    if (pixels < FEWEST_PIXELS || pixels > MOST_PIXELS) continue;
    if (is_among(&next, training, training_count) || is_among(&next, held_out, held_out_count)) continue;
    int is_held_out = code / 256 % 5 == 4;
    size_t *count = is_held_out ? &held_out_count : &training_count;
    if (*count == MOST) fail(path, "has too many glyphs");
    (is_held_out ? held_out : training)[(*count)++] = next;
  }
  fclose(file);
}

int main(int count, char **arguments) {
  if (count != 3) fail("usage", "snail-glyphs unifont.hex OUT.safetensors");
  load(arguments[1]);
  size_t first = training_count * sizeof(glyph), second = held_out_count * sizeof(glyph);
  char header[512];
  uint64_t length = (uint64_t)snprintf(
      header, sizeof header,
      "{\"training\":{\"dtype\":\"F32\",\"shape\":[%zu,%d,%d],\"data_offsets\":[0,%zu]},"
      "\"held_out\":{\"dtype\":\"F32\",\"shape\":[%zu,%d,%d],\"data_offsets\":[%zu,%zu]}}",
      training_count, SIDE, SIDE, first, held_out_count, SIDE, SIDE, first, first + second);
  while (length % 8) header[length++] = ' ';
  FILE *file = fopen(arguments[2], "wb");
  if (!file || fwrite(&length, 8, 1, file) != 1 || fwrite(header, length, 1, file) != 1 ||
      fwrite(training, first, 1, file) != 1 || fwrite(held_out, second, 1, file) != 1 || fclose(file))
    fail(arguments[2], "cannot be written");
  printf("%zu glyphs for training, %zu held out\n", training_count, held_out_count);
  return 0;
}
