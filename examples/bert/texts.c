/* Writes strings of twelve languages from the message catalogues of Debian's packages, and lines of the Bible:
 *
 *   bert-texts FOLDER [BIBLE [LOCALES]]
 *
 *   FOLDER/train.txt, train.labels   strings, one a line, and the language of each
 *   FOLDER/few.txt, few.labels       the first 100 strings of each language among them
 *   FOLDER/test.txt, test.labels     other strings, a tenth
 *   FOLDER/pretrain.txt              the strings of train.txt and the lines of the file BIBLE
 *
 * A string has 15 to 60 characters below U+0180, most of them letters, and occurs in one language alone. The order is
 * that of a hash, so the test is a random sample, which is the same on every machine with the same packages. */
#include "../catalogue/catalogue.h"
#include <stdlib.h>
#include <string.h>

enum { LEAST = 15, MOST = 60, FEW = 100, MOST_OF_LANGUAGE = 6000, MOST_STRINGS = 1 << 18, LANGUAGES = 12 };

/* English is in each catalogue, as the messages. */
static const char *const languages[LANGUAGES] = {"en", "cs", "da", "de", "es", "fr",
                                                 "hu", "it", "nl", "pl", "pt", "sv"};
static const char *const domains[] = {"bash", "coreutils", "diffutils", "dpkg", "findutils", "gettext-tools",
                                      "git",  "grep",      "make",      "sed",  "tar",       "wget"};

typedef struct {
  char *text;
  int language; /* -1: a line of the Bible */
  uint64_t order;
} string;

static string strings[MOST_STRINGS];
static size_t count;
static int language;

/* The number of the character at *at, below U+0180, which is advanced; 0 at the end and for other characters. */
static int next_character(const unsigned char **at) {
  const unsigned char *byte = *at;
  int two = byte[0] >= 0xc2 && byte[0] <= 0xc5 && (byte[1] & 0xc0) == 0x80;
  if (byte[0] < ' ' || (byte[0] >= 0x80 && !two))
    return 0;
  *at += 1 + two;
  return two ? (byte[0] & 0x1f) << 6 | (byte[1] & 0x3f) : byte[0];
}

/* Adds the beginning of a line, up to a space after at most MOST characters, unless it is short or is no text. */
static void add_line(const char *line, const char *end) {
  char text[2 * MOST + 1];
  size_t bytes = 0, cut = 0;
  int characters = 0, letters = 0;
  while (line < end && *line == ' ')
    ++line;
  const unsigned char *at = (const unsigned char *)line;
  for (; (const char *)at < end; ++characters) {
    const unsigned char *from = at;
    int character = next_character(&at);
    if (!character || strchr("%<>\\{}=_", character))
      return;
    if (character == ' ')
      cut = bytes;
    if (characters == MOST)
      break;
    letters += character == ' ' || character >= 0x80 || ((character | 32) >= 'a' && (character | 32) <= 'z');
    memcpy(text + bytes, from, (size_t)(at - from));
    bytes += (size_t)(at - from);
  }
  if ((const char *)at < end || characters > MOST)
    bytes = cut;
  text[bytes] = 0;
  if (characters < LEAST || letters * 10 < characters * 9 || bytes < LEAST || count == MOST_STRINGS)
    return;
  strings[count++] = (string){strdup(text), language, hash_of(text)};
}

static void add_lines(const char *text) {
  for (const char *end; *text; text = *end ? end + 1 : end) {
    end = text + strcspn(text, "\n");
    add_line(text, end);
  }
}

static void add_message(const char *message, const char *translation) {
  const char *context = strchr(message, 4); /* a message may begin with a context and EOT */
  const char *english = context ? context + 1 : message;
  if (*english && strcmp(english, translation) != 0)
    add_lines(language ? translation : english);
}

static void add_bible(const char *path) {
  FILE *file = fopen(path, "r");
  char line[1 << 12];
  if (!file)
    fail(path, "can't be read");
  language = -1;
  while (fgets(line, sizeof line, file)) {
    const char *verse = strchr(line, ' ');
    if (verse)
      add_line(verse, verse + strcspn(verse, "\n"));
  }
  fclose(file);
}

static int compare(const void *a, const void *b) {
  const string *x = a, *y = b;
  if (x->order != y->order)
    return x->order < y->order ? -1 : 1;
  int texts = strcmp(x->text, y->text);
  return texts ? texts : x->language - y->language;
}

/* Keeps one of several equal strings, or none if they are of several languages. */
static void drop_equal_strings(void) {
  size_t kept = 0;
  for (size_t i = 0, next; i < count; i = next) {
    int is_of_one = 1;
    for (next = i + 1; next < count && strcmp(strings[next].text, strings[i].text) == 0; ++next)
      is_of_one &= strings[next].language == strings[i].language;
    if (is_of_one)
      strings[kept++] = strings[i];
  }
  count = kept;
}

typedef struct {
  FILE *text, *label;
  int rows;
} labelled;

static labelled open_labelled(const char *folder, const char *name) {
  char text[64], label[64];
  snprintf(text, sizeof text, "%s.txt", name);
  snprintf(label, sizeof label, "%s.labels", name);
  return (labelled){create(folder, text), create(folder, label), 0};
}

static void add_to(labelled *set, const string *it) {
  fprintf(set->text, "%s\n", it->text);
  fprintf(set->label, "%s\n", languages[it->language]);
  ++set->rows;
}

static void close_labelled(labelled *set, const char *folder) {
  if (fclose(set->text) != 0 || fclose(set->label) != 0)
    fail(folder, "can't be written");
}

static void write_sets(const char *folder) {
  labelled train = open_labelled(folder, "train"), few = open_labelled(folder, "few"),
           test = open_labelled(folder, "test");
  FILE *pretrain = create(folder, "pretrain.txt");
  int seen[LANGUAGES] = {0}, learnt[LANGUAGES] = {0};
  for (size_t i = 0; i < count; ++i) {
    const string *it = &strings[i];
    if (it->language < 0) {
      fprintf(pretrain, "%s\n", it->text);
      continue;
    }
    if (seen[it->language]++ >= MOST_OF_LANGUAGE)
      continue;
    if (seen[it->language] % 10 == 0) {
      add_to(&test, it);
      continue;
    }
    if (learnt[it->language]++ < FEW)
      add_to(&few, it);
    add_to(&train, it);
    fprintf(pretrain, "%s\n", it->text);
  }
  printf("%d strings to train, %d of them few, %d to test\n", train.rows, few.rows, test.rows);
  for (int number = 0; number < LANGUAGES; ++number)
    printf("  %d %s: %d\n", number, languages[number],
           seen[number] < MOST_OF_LANGUAGE ? seen[number] : MOST_OF_LANGUAGE);
  close_labelled(&train, folder);
  close_labelled(&few, folder);
  close_labelled(&test, folder);
  if (fclose(pretrain) != 0)
    fail(folder, "can't be written");
}

int main(int arguments, char **argument) {
  if (arguments < 2) {
    fprintf(stderr, "usage: bert-texts FOLDER [BIBLE [LOCALES]]\n");
    return 1;
  }
  const char *locales = arguments > 3 ? argument[3] : "/usr/share/locale";
  char path[FILENAME_MAX];
  for (language = 0; language < LANGUAGES; ++language)
    for (size_t d = 0; d < sizeof domains / sizeof *domains; ++d) {
      /* The messages of a catalogue in any language are English. */
      snprintf(path, sizeof path, "%s/%s/LC_MESSAGES/%s.mo", locales, language ? languages[language] : "de",
               domains[d]);
      read_catalogue(path, add_message);
    }
  if (count == 0)
    fail(locales, "has no catalogues; they are of Debian's packages coreutils, gettext, git and others");
  if (arguments > 2)
    add_bible(argument[2]);
  qsort(strings, count, sizeof *strings, compare);
  drop_equal_strings();
  write_sets(argument[1]);
}
