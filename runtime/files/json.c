#include "json.h"
#include "internal.h"

#include <string.h>

enum { MOST_NESTING = 8 };

attn_json attn_json_begin(const char *file, const char *part, int64_t first, const char *text, uint64_t bytes,
                          char *strings, attn_status *status) {
  return (attn_json){.file = file,
                     .part = part,
                     .first = first,
                     .start = text,
                     .at = text,
                     .end = text + bytes,
                     .strings = strings,
                     .status = status};
}

void attn_json_stop(attn_json *json, attn_code code) {
  json->code = code;
  json->at = json->end;
}

void attn_json_fail(attn_json *json, const char *expected) {
  if (json->code == ATTN_OK)
    attn_json_stop(json,
                   attn_fail(json->status, ATTN_BAD_FILE, "%s: the %s is corrupt at byte %lld: expected %s", json->file,
                             json->part, (long long)(json->at - json->start + json->first), expected));
}

int attn_json_peek(attn_json *json) {
  while (json->at < json->end && (*json->at == ' ' || *json->at == '\n' || *json->at == '\r' || *json->at == '\t'))
    ++json->at;
  return json->at < json->end ? (unsigned char)*json->at : -1;
}

int attn_json_accept(attn_json *json, char c) {
  int is_next = attn_json_peek(json) == (unsigned char)c;
  json->at += is_next;
  return is_next;
}

void attn_json_expect(attn_json *json, char c, const char *expected) {
  if (!attn_json_accept(json, c))
    attn_json_fail(json, expected);
}

static char *put_utf8(char *out, unsigned c) {
  if (c < 0x80) {
    *out++ = (char)c;
    return out;
  }
  int further = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  *out++ = (char)((further == 1 ? 0xC0 : further == 2 ? 0xE0 : 0xF0) | c >> 6 * further);
  while (further-- > 0)
    *out++ = (char)(0x80 | (c >> 6 * further & 63));
  return out;
}

/* Parses the four digits of a \u escape. */
static unsigned parse_code(attn_json *json) {
  static const char digits[] = "0123456789abcdefABCDEF";
  unsigned code = 0;
  for (int i = 0; i < 4 && json->code == ATTN_OK; ++i) {
    char hex = json->at < json->end ? *json->at++ : 0;
    const char *digit = hex ? strchr(digits, hex) : 0;
    if (digit)
      code = code * 16 + (unsigned)(digit - digits < 16 ? digit - digits : digit - digits - 6);
    else
      attn_json_fail(json, "four hexadecimal digits");
  }
  return code;
}

/* Parses the characters after a backslash. */
static char *parse_escape(attn_json *json, char *out) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  char c = json->at < json->end ? *json->at++ : 0;
  const char *known = c ? strchr(from, c) : 0;
  if (known) {
    *out++ = to[known - from];
    return out;
  }
  if (c != 'u')
    attn_json_fail(json, "an escaped character");
  unsigned code = parse_code(json);
  if (code == 0)
    attn_json_fail(json, "a character other than NUL");
  if (code < 0xD800 || code > 0xDFFF)
    return put_utf8(out, code);
  /* A character beyond 16 bits is a pair of surrogates. */
  int has_second = code < 0xDC00 && json->end - json->at > 2 && json->at[0] == '\\' && json->at[1] == 'u';
  json->at += has_second ? 2 : 0;
  unsigned second = has_second ? parse_code(json) : 0;
  if (second < 0xDC00 || second > 0xDFFF)
    attn_json_fail(json, "a pair of surrogates");
  return put_utf8(out, 0x10000 + ((code & 0x3FF) << 10) + (second & 0x3FF));
}

/* A string is not longer than its source with quotes, so memory of the size of the text suffices. */
const char *attn_json_string(attn_json *json) {
  char *result = json->strings, *out = result;
  attn_json_expect(json, '"', "a string");
  while (json->at < json->end && *json->at != '"') {
    char c = *json->at++;
    if ((unsigned char)c < 0x20)
      attn_json_fail(json, "a string without control characters");
    else if (c != '\\')
      *out++ = c;
    else
      out = parse_escape(json, out);
  }
  if (json->at >= json->end) {
    attn_json_fail(json, "the end of a string");
    return "";
  }
  ++json->at;
  *out++ = 0;
  json->strings = out;
  return result;
}

const char *attn_json_word(attn_json *json) {
  char *strings = json->strings;
  const char *word = attn_json_string(json);
  json->strings = strings;
  return word;
}

uint64_t attn_json_number(attn_json *json) {
  int c = attn_json_peek(json);
  uint64_t value = 0;
  if (c < '0' || c > '9')
    attn_json_fail(json, "a non-negative integer");
  while (json->at < json->end && *json->at >= '0' && *json->at <= '9') {
    uint64_t digit = (uint64_t)(*json->at++ - '0');
    if (value > (UINT64_MAX - digit) / 10)
      attn_json_fail(json, "an integer of 64 bits");
    value = value * 10 + digit;
  }
  return value;
}

void attn_json_skip(attn_json *json) {
  if (++json->depth > MOST_NESTING)
    attn_json_fail(json, "less nesting");
  int c = attn_json_peek(json);
  if (c == '"') {
    attn_json_word(json);
  } else if (c == '{' || c == '[') {
    char close = c == '{' ? '}' : ']';
    ++json->at;
    if (!attn_json_accept(json, close)) {
      do {
        if (c == '{') {
          attn_json_word(json);
          attn_json_expect(json, ':', "':'");
        }
        attn_json_skip(json);
      } while (attn_json_accept(json, ','));
      attn_json_expect(json, close, "the end of a list or object");
    }
  } else {
    const char *from = json->at;
    while (json->at < json->end && *json->at && strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", *json->at))
      ++json->at;
    if (json->at == from)
      attn_json_fail(json, "a value");
  }
  --json->depth;
}

void attn_json_write_string(FILE *out, const char *string) {
  putc('"', out);
  for (const unsigned char *c = (const unsigned char *)string; *c; ++c) {
    if (*c == '"' || *c == '\\')
      putc('\\', out);
    if (*c < 0x20)
      fprintf(out, "\\u%04x", *c);
    else
      putc(*c, out);
  }
  putc('"', out);
}
