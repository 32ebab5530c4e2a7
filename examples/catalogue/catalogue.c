#include "catalogue.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const unsigned MAGIC = 0x950412de;

void fail(const char *path, const char *why) {
  fprintf(stderr, "%s: %s\n", path, why);
  exit(1);
}

static char *read_file(const char *path, size_t *bytes) {
  FILE *file = fopen(path, "rb");
  if (!file && errno == ENOENT)
    return NULL;
  if (!file || fseek(file, 0, SEEK_END) != 0)
    fail(path, "can't be read");
  long size = ftell(file);
  char *text = malloc((size_t)size + 1);
  rewind(file);
  if (!text || fread(text, 1, (size_t)size, file) != (size_t)size)
    fail(path, "can't be read");
  fclose(file);
  text[size] = 0;
  *bytes = (size_t)size;
  return text;
}

static uint32_t word(const char *path, const char *file, size_t bytes, size_t at) {
  uint32_t value;
  if (at + sizeof value > bytes)
    fail(path, "is cut off");
  memcpy(&value, file + at, sizeof value);
  return value;
}

/* A catalogue has a magic number, a revision, the number of messages and the offsets of two tables of (length, offset):
 * one of messages and one of translations. */
int read_catalogue(const char *path, void (*visit)(const char *message, const char *translation)) {
  size_t bytes;
  char *file = read_file(path, &bytes);
  if (!file)
    return 0;
  if (word(path, file, bytes, 0) != MAGIC)
    fail(path, "is no catalogue of this byte order");
  uint32_t messages = word(path, file, bytes, 8), from = word(path, file, bytes, 12), to = word(path, file, bytes, 16);
  for (uint32_t i = 0; i < messages; ++i) {
    uint32_t message = word(path, file, bytes, from + 8 * (size_t)i + 4);
    uint32_t translation = word(path, file, bytes, to + 8 * (size_t)i + 4);
    if (message >= bytes || translation >= bytes)
      fail(path, "is cut off");
    visit(file + message, file + translation);
  }
  return 1;
}

uint64_t hash_of(const char *text) {
  uint64_t h = 0xcbf29ce484222325u;
  for (; *text; ++text)
    h = (h ^ (unsigned char)*text) * 0x100000001b3u;
  h = (h ^ h >> 33) * 0xff51afd7ed558ccdu;
  h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53u;
  return h ^ h >> 33;
}

FILE *create(const char *folder, const char *file) {
  char path[FILENAME_MAX];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  FILE *out = fopen(path, "w");
  if (!out)
    fail(path, "can't be written");
  return out;
}
