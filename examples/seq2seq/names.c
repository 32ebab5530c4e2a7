/* Writes the English names of countries and languages and their French translations from Debian's iso-codes:
 *
 *   seq2seq-names FOLDER [LOCALES]      writes FOLDER/english.txt and FOLDER/french.txt
 *
 * Selects each name once, if it and its translation have at most 31 characters, all in ISO 8859-1. The order is that of
 * a hash of the name, so that the last tenth is a random sample, which is the same on every machine. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHARACTERS = 31, MOST_NAMES = 1 << 16 };
static const unsigned MAGIC = 0x950412de;

static const char *const domains[] = {"iso_3166-1", "iso_639-2", "iso_639-3", "iso_639-5"};

typedef struct {
  const char *english, *french;
  uint64_t order;
} name;

static name names[MOST_NAMES];
static size_t count;

static void fail(const char *path, const char *what) {
  fprintf(stderr, "%s: %s\n", path, what);
  exit(1);
}

/* FNV hash (Fowler, Noll, Vo) with the finaliser of MurmurHash3. */
static uint64_t hash(const char *text) {
  uint64_t h = 0xcbf29ce484222325u;
  for (; *text; ++text)
    h = (h ^ (unsigned char)*text) * 0x100000001b3u;
  h = (h ^ h >> 33) * 0xff51afd7ed558ccdu;
  h = (h ^ h >> 33) * 0xc4ceb9fe1a85ec53u;
  return h ^ h >> 33;
}

/* Whether the text has 1 .. MOST_CHARACTERS characters in UTF-8, all below U+0100, without control characters. */
static int is_short(const char *text) {
  int characters = 0;
  for (const unsigned char *at = (const unsigned char *)text; *at; ++at, ++characters) {
    if (*at >= 0x80 && ((*at != 0xc2 && *at != 0xc3) || (*++at & 0xc0) != 0x80))
      return 0;
    if (*at < ' ')
      return 0;
  }
  return characters > 0 && characters <= MOST_CHARACTERS;
}

static char *read_file(const char *path, size_t *bytes) {
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0)
    fail(path, "can't be read; it is of Debian's package iso-codes");
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

/* Reads a compiled gettext catalogue: magic, revision, number of messages, then the offsets of two tables of (length,
 * offset) for messages and translations; texts are zero-terminated. */
static void read_catalogue(const char *path) {
  size_t bytes;
  char *file = read_file(path, &bytes);
  if (word(path, file, bytes, 0) != MAGIC)
    fail(path, "is no catalogue of this byte order");
  uint32_t messages = word(path, file, bytes, 8), from = word(path, file, bytes, 12), to = word(path, file, bytes, 16);
  for (uint32_t i = 0; i < messages && count < MOST_NAMES; ++i) {
    uint32_t english = word(path, file, bytes, from + 8 * (size_t)i + 4);
    uint32_t french = word(path, file, bytes, to + 8 * (size_t)i + 4);
    if (english >= bytes || french >= bytes)
      fail(path, "is cut off");
    if (is_short(file + english) && is_short(file + french))
      names[count++] = (name){file + english, file + french, hash(file + english)};
  }
}

/* Orders names by hash, then by text, so that equal names are adjacent. */
static int compare(const void *a, const void *b) {
  const name *x = a, *y = b;
  if (x->order != y->order)
    return x->order < y->order ? -1 : 1;
  int texts = strcmp(x->english, y->english);
  return texts ? texts : strcmp(x->french, y->french);
}

static FILE *create(const char *folder, const char *file, char path[]) {
  snprintf(path, FILENAME_MAX, "%s/%s", folder, file);
  FILE *out = fopen(path, "w");
  if (!out)
    fail(path, "can't be written");
  return out;
}

int main(int arguments, char **argument) {
  if (arguments < 2) {
    fprintf(stderr, "usage: seq2seq-names FOLDER [LOCALES]\n");
    return 1;
  }
  const char *locales = arguments > 2 ? argument[2] : "/usr/share/locale";
  char path[FILENAME_MAX], other[FILENAME_MAX];
  for (size_t d = 0; d < sizeof domains / sizeof *domains; ++d) {
    snprintf(path, sizeof path, "%s/fr/LC_MESSAGES/%s.mo", locales, domains[d]);
    read_catalogue(path);
  }
  qsort(names, count, sizeof *names, compare);
  FILE *english = create(argument[1], "english.txt", path), *french = create(argument[1], "french.txt", other);
  size_t written = 0;
  for (size_t i = 0; i < count; ++i) {
    if (i > 0 && strcmp(names[i].english, names[i - 1].english) == 0)
      continue;
    fprintf(english, "%s\n", names[i].english);
    fprintf(french, "%s\n", names[i].french);
    ++written;
  }
  if (fclose(english) != 0 || fclose(french) != 0)
    fail(argument[1], "can't be written");
  printf("%zu names in %s and %s\n", written, path, other);
}
