/* Writes dates in sixteen written forms, and their ISO forms:
 *
 *   dates FOLDER [ROWS [SEED]]       writes FOLDER/source.txt and FOLDER/target.txt, 20000 rows by default
 *
 * A row of source.txt is a date from 1950-01-01 to 2049-12-31, such as `Tuesday, 3 March 1998`; the same row of
 * target.txt is `1998-03-03`. A year of two digits is one from 1950 to 2049. No two rows of source.txt are equal, and
 * the order is random, so the last rows are a random sample of dates that other rows do not have in this form. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMS = 16, MOST = 64, FIRST_YEAR = 1950, YEARS = 100 };

static const char *const months[] = {"January", "February", "March",     "April",   "May",      "June",
                                     "July",    "August",   "September", "October", "November", "December"};
static const char *const weekdays[] = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
static const char *const ordinals[] = {
    "first",         "second",       "third",         "fourth",       "fifth",        "sixth",          "seventh",
    "eighth",        "ninth",        "tenth",         "eleventh",     "twelfth",      "thirteenth",     "fourteenth",
    "fifteenth",     "sixteenth",    "seventeenth",   "eighteenth",   "nineteenth",   "twentieth",      "twenty-first",
    "twenty-second", "twenty-third", "twenty-fourth", "twenty-fifth", "twenty-sixth", "twenty-seventh", "twenty-eighth",
    "twenty-ninth",  "thirtieth",    "thirty-first"};

typedef struct {
  int year, month, day; /* month and day from 1 */
} date;

static uint64_t state;

/* SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t next_random(void) {
  uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}
static int below(int bound) { return (int)(next_random() % (uint64_t)bound); }

static int days_of(int year, int month) {
  int leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 ? 28 + leap : 30 + (month + month / 8) % 2;
}

/* The day of the week, 0 for Sunday (Sakamoto 1993). */
static int weekday_of(date d) {
  static const int shifts[] = {0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4};
  int year = d.year - (d.month < 3);
  return (year + year / 4 - year / 100 + year / 400 + shifts[d.month - 1] + d.day) % 7;
}

static const char *suffix_of(int day) {
  return day / 10 == 1 ? "th" : day % 10 == 1 ? "st" : day % 10 == 2 ? "nd" : day % 10 == 3 ? "rd" : "th";
}

static void write_date(date d, int form, char text[MOST]) {
  const char *month = months[d.month - 1], *weekday = weekdays[weekday_of(d)], *suffix = suffix_of(d.day);
  int y = d.year, m = d.month, day = d.day, short_year = d.year % 100;
  switch (form) {
  case 0:
    snprintf(text, MOST, "%d %s %d", day, month, y);
    break;
  case 1:
    snprintf(text, MOST, "%s %d, %d", month, day, y);
    break;
  case 2:
    snprintf(text, MOST, "%.3s %d, %d", month, day, y);
    break;
  case 3:
    snprintf(text, MOST, "%d%s of %s %d", day, suffix, month, y);
    break;
  case 4:
    snprintf(text, MOST, "%02d.%02d.%d", day, m, y);
    break;
  case 5:
    snprintf(text, MOST, "%d.%d.%02d", day, m, short_year);
    break;
  case 6:
    snprintf(text, MOST, "%02d/%02d/%d", m, day, y);
    break;
  case 7:
    snprintf(text, MOST, "%d %.3s '%02d", day, month, short_year);
    break;
  case 8:
    snprintf(text, MOST, "%s, %d %s %d", weekday, day, month, y);
    break;
  case 9:
    snprintf(text, MOST, "%.3s %.3s %d %d", weekday, month, day, y);
    break;
  case 10:
    snprintf(text, MOST, "the %s of %s, %d", ordinals[day - 1], month, y);
    break;
  case 11:
    snprintf(text, MOST, "%s the %s, %d", month, ordinals[day - 1], y);
    break;
  case 12:
    snprintf(text, MOST, "%d-%.3s-%02d", day, month, short_year);
    break;
  case 13:
    snprintf(text, MOST, "%d%02d%02d", y, m, day);
    break;
  case 14:
    snprintf(text, MOST, "%s %d%s, %d", month, day, suffix, y);
    break;
  default:
    snprintf(text, MOST, "%d %s, on a %s, %d", day, month, weekday, y);
    break;
  }
}

static FILE *create(const char *folder, const char *file) {
  char path[FILENAME_MAX];
  snprintf(path, sizeof path, "%s/%s", folder, file);
  FILE *out = fopen(path, "w");
  if (!out) {
    fprintf(stderr, "%s: can't be written\n", path);
    exit(1);
  }
  return out;
}

/* The whole number, from 0 on, that an argument states. */
static unsigned long long number_of(const char *argument) {
  char *end;
  unsigned long long number = strtoull(argument, &end, 10);
  if (*argument < '0' || *argument > '9' || *end) {
    fprintf(stderr, "dates: '%s', expected a whole number from 0 on\n", argument);
    exit(1);
  }
  return number;
}

int main(int arguments, char **argument) {
  if (arguments < 2) {
    fprintf(stderr, "usage: dates FOLDER [ROWS [SEED]]\n");
    return 1;
  }
  enum { DAYS = YEARS * 12 * 31, FEWEST_FORMS = 10, MOST_ROWS = DAYS * FEWEST_FORMS };
  unsigned long long rows = arguments > 2 ? number_of(argument[2]) : 20000;
  state = arguments > 3 ? number_of(argument[3]) : 1;
  static unsigned char used[DAYS][FORMS]; /* whether a date has been written in a form */
  if (rows > MOST_ROWS) {
    fprintf(stderr, "dates: %s rows, expected at most %d\n", argument[2], MOST_ROWS);
    return 1;
  }
  FILE *source = create(argument[1], "source.txt"), *target = create(argument[1], "target.txt");
  for (unsigned long long row = 0; row < rows;) {
    date d = {FIRST_YEAR + below(YEARS), 1 + below(12), 1 + below(31)};
    int form = below(FORMS);
    unsigned char *seen = &used[((d.year - FIRST_YEAR) * 12 + d.month - 1) * 31 + d.day - 1][form];
    int is_whole_month = form == 2 && d.month == 5; /* the form with three letters of the month is the same for May */
    if (d.day > days_of(d.year, d.month) || *seen || is_whole_month)
      continue;
    *seen = 1;
    ++row;
    char text[MOST];
    write_date(d, form, text);
    fprintf(source, "%s\n", text);
    fprintf(target, "%d-%02d-%02d\n", d.year, d.month, d.day);
  }
  if (fclose(source) != 0 || fclose(target) != 0) {
    fprintf(stderr, "%s: can't be written\n", argument[1]);
    return 1;
  }
}
