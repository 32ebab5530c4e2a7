/* Writes the English names of countries and languages and their French translations from Debian's iso-codes:
 *
 *   seq2seq-names FOLDER [LOCALES]      writes FOLDER/english.txt and FOLDER/french.txt
 *
 * Selects each name once, if it and its translation have at most 31 characters, all in ISO 8859-1. The order is that of
 * a hash of the name, so that the last tenth is a random sample, which is the same on every machine. */
#include "../catalogue/catalogue.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_CHARACTERS = 31, MOST_NAMES = 1 << 16 };

static const char *const domains[] = {"iso_3166-1", "iso_639-2", "iso_639-3", "iso_639-5"};

typedef struct {
  const char *english, *french;
  uint64_t order;
} name;

static name names[MOST_NAMES];
static size_t count;

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

static void add(const char *english, const char *french) {
  if (count < MOST_NAMES && is_short(english) && is_short(french))
    names[count++] = (name){english, french, hash_of(english)};
}

/* Orders names by hash, then by text, so that equal names are adjacent. */
static int compare(const void *a, const void *b) {
  const name *x = a, *y = b;
  if (x->order != y->order)
    return x->order < y->order ? -1 : 1;
  int texts = strcmp(x->english, y->english);
  return texts ? texts : strcmp(x->french, y->french);
}

int main(int arguments, char **argument) {
  if (arguments < 2) {
    fprintf(stderr, "usage: seq2seq-names FOLDER [LOCALES]\n");
    return 1;
  }
  const char *locales = arguments > 2 ? argument[2] : "/usr/share/locale";
  char path[FILENAME_MAX];
  for (size_t d = 0; d < sizeof domains / sizeof *domains; ++d) {
    snprintf(path, sizeof path, "%s/fr/LC_MESSAGES/%s.mo", locales, domains[d]);
    if (!read_catalogue(path, add))
      fail(path, "can't be read; it is of Debian's package iso-codes");
  }
  qsort(names, count, sizeof *names, compare);
  FILE *english = create(argument[1], "english.txt"), *french = create(argument[1], "french.txt");
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
  printf("%zu names in %s/english.txt and french.txt\n", written, argument[1]);
}
