/* Parser of the JSON in weight files: strings, integers, objects and lists, which the caller parses one token at a
 * time, and values of any kind with at most 8 levels of nesting, which can only be skipped. The text is untrusted. The
 * first error is reported and moves the parser to the end, where no token but the end follows, so that every loop of a
 * caller ends. Functions skip white space before a token. `expected` is a phrase such as "a shape"; an error names it
 * and the byte of the file. */
#ifndef ATTN_JSON_H
#define ATTN_JSON_H

#include "attn/status.h"

#include <stdint.h>
#include <stdio.h>

typedef struct attn_json {
  const char *file;             /* the name of the file in messages */
  const char *part;             /* the part of the file that is parsed, in messages, such as "header" */
  int64_t first;                /* the place in the file of the first byte of the text */
  const char *start, *at, *end; /* the text, from start to end, and the next byte to parse */
  char *strings;       /* the next byte of memory for strings; the memory has room for as many bytes as the text */
  attn_status *status; /* receives the error; may be null */
  attn_code code;      /* ATTN_OK, or the code of the first error */
  int depth;           /* of the value that is skipped */
} attn_json;

/* Returns a parser of `bytes` bytes of text. Other arguments are the fields of the same names. */
attn_json attn_json_begin(const char *file, const char *part, int64_t first, const char *text, uint64_t bytes,
                          char *strings, attn_status *status);
/* Moves the parser to the end with the code of an error that the caller has reported. */
void attn_json_stop(attn_json *json, attn_code code);
/* Reports that `expected` is not at the current byte, unless there was an error before. */
void attn_json_fail(attn_json *json, const char *expected);

/* Returns the next character that is not white space, or -1 at the end. */
int attn_json_peek(attn_json *json);
/* Returns 1 and moves behind the character `c` if it is next, otherwise returns 0. */
int attn_json_accept(attn_json *json, char c);
/* Moves behind the character `c`, which must be next. */
void attn_json_expect(attn_json *json, char c, const char *expected);

/* Parses a string. The result, without quotes and escapes, has no zero byte but the last, and is valid as long as the
 * memory for strings; it is "" after an error. */
const char *attn_json_string(attn_json *json);
/* Like attn_json_string, but the result is valid only until the next string is parsed or skipped. */
const char *attn_json_word(attn_json *json);
/* Parses an integer of at most 64 bits without a sign. */
uint64_t attn_json_number(attn_json *json);
/* Skips a value of any kind. */
void attn_json_skip(attn_json *json);

/* Writes a text in UTF-8 as a string. */
void attn_json_write_string(FILE *out, const char *text);

#endif
