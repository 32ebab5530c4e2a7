/* Writes strings of one to five digits that espeak-ng speaks as tensors for `attnc train`:
 *
 *   speech-utterances OUT.safetensors ROWS SEED [held-out]
 *
 * Each row has a random voice, speed, pitch and gap between words. With `held-out`, the voices are those that no
 * training row has. Row r has the blocks `samples` f32[., 800] from offsets[r] to offsets[r + 1]; their number is
 * `length` i32[rows]. In `labels` i32[rows, 5], digit d is d + 1, and zeros follow after the digits. */
#include "wav.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 5 };

static const char *const digits[] = {"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"};

/* A voice is an accent with a variant of the speaker. */
static const char *const accents[] = {"en-us", "en-gb", "en-gb-x-rp", "en-gb-scotland", "en-029", "en-gb-x-gbclan"};
static const char *const variants[] = {"m1",    "m2",    "m3",   "m5",     "m6",       "m7",     "f1",  "f2",
                                       "f4",    "adam",  "Alex", "Alicia", "benjamin", "edward", "max", "steph",
                                       "linda", "quincy"};
static const char *const other_variants[] = {"m4", "m8", "f3", "f5", "Andrea", "Michael"};
enum { ACCENTS = 6, TRAINING_ACCENTS = 5, VARIANTS = 18, OTHER_VARIANTS = 6 }; /* numbers of elements */

static uint64_t state;

/* SplitMix64 (Steele, Lea, Flood 2014). */
static int below(int bound) {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return (int)((z ^ z >> 31) % (uint64_t)bound);
}

static void fail(const char *what, const char *why) {
  fprintf(stderr, "speech-utterances: %s: %s\n", what, why);
  exit(1);
}

/* The sound of a random utterance, and its labels. */
static float *speak(int held_out, int32_t labels[LONGEST], int *blocks) {
  int gap = below(6), pitch = 20 + below(60), speed = 130 + below(90);
  const char *variant = held_out ? other_variants[below(OTHER_VARIANTS)] : variants[below(VARIANTS)];
  const char *accent = accents[below(held_out ? ACCENTS : TRAINING_ACCENTS)];
  char command[256];
  int length = snprintf(command, sizeof command, "espeak-ng --stdout -v %s+%s -s %d -p %d -g %d '", accent, variant,
                        speed, pitch, gap);
  int count = 1 + below(LONGEST);
  for (int i = 0; i < count; ++i) {
    labels[i] = 1 + below(10);
    length += snprintf(command + length, sizeof command - (size_t)length, " %s", digits[labels[i] - 1]);
  }
  strcat(command, "'");
  FILE *sound = popen(command, "r");
  float *samples = sound ? wav_read(sound, blocks) : 0;
  if (!samples || pclose(sound) != 0)
    fail(command, "failed");
  return samples;
}

int main(int arguments, char **argument) {
  int held_out = arguments == 5 && strcmp(argument[4], "held-out") == 0;
  int rows = arguments > 3 ? atoi(argument[2]) : 0;
  if (rows < 1 || arguments != 4 + held_out)
    fail("usage", "speech-utterances OUT.safetensors ROWS SEED [held-out]");
  state = strtoull(argument[3], 0, 10);
  float *samples = 0;
  int32_t *offsets = calloc((size_t)rows + 1, sizeof *offsets), *blocks = calloc((size_t)rows, sizeof *blocks);
  int32_t(*labels)[LONGEST] = calloc((size_t)rows, sizeof *labels);
  for (int r = 0; r < rows; ++r) {
    float *spoken = speak(held_out, labels[r], &blocks[r]);
    offsets[r + 1] = offsets[r] + blocks[r];
    samples = realloc(samples, sizeof *samples * BLOCK * (size_t)offsets[r + 1]);
    memcpy(samples + (size_t)BLOCK * (size_t)offsets[r], spoken, sizeof *spoken * BLOCK * (size_t)blocks[r]);
    free(spoken);
  }
  size_t sizes[] = {sizeof *samples * BLOCK * (size_t)offsets[rows], sizeof *offsets * ((size_t)rows + 1),
                    sizeof *blocks * (size_t)rows, sizeof *labels * (size_t)rows};
  size_t of_offsets = sizes[0], of_blocks = of_offsets + sizes[1], of_labels = of_blocks + sizes[2];
  char header[512];
  uint64_t length = (uint64_t)snprintf(
      header, sizeof header,
      "{\"samples\":{\"dtype\":\"F32\",\"shape\":[%d,%d],\"data_offsets\":[0,%zu]},"
      "\"offsets\":{\"dtype\":\"I32\",\"shape\":[%d],\"data_offsets\":[%zu,%zu]},"
      "\"length\":{\"dtype\":\"I32\",\"shape\":[%d],\"data_offsets\":[%zu,%zu]},"
      "\"labels\":{\"dtype\":\"I32\",\"shape\":[%d,%d],\"data_offsets\":[%zu,%zu]}}",
      offsets[rows], BLOCK, of_offsets, rows + 1, of_offsets, of_blocks, rows, of_blocks, of_labels, rows, LONGEST,
      of_labels, of_labels + sizes[3]);
  while (length % 8)
    header[length++] = ' ';
  FILE *file = fopen(argument[1], "wb");
  if (!file || fwrite(&length, 8, 1, file) != 1 || fwrite(header, length, 1, file) != 1 ||
      fwrite(samples, sizes[0], 1, file) != 1 || fwrite(offsets, sizes[1], 1, file) != 1 ||
      fwrite(blocks, sizes[2], 1, file) != 1 || fwrite(labels, sizes[3], 1, file) != 1 || fclose(file) != 0)
    fail(argument[1], "cannot be written");
  free(samples), free(offsets), free(blocks), free(labels);
  return 0;
}
