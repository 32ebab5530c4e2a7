#include "safetensors_header.h"
#include "internal.h"

#include <stdlib.h>
#include <string.h>

/* Element types ---------------------------------------------------------------------------------------------------- */

static const struct {
  char name[5];
  unsigned char bytes;
} dtypes[] = {{"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"I16", 2}, {"U16", 2}, {"F16", 2}, {"BF16", 2},
              {"I32", 4},  {"U32", 4}, {"F32", 4}, {"I64", 8}, {"U64", 8}, {"F64", 8}};

static int is_known(int32_t dtype) { return dtype >= 0 && dtype < (int32_t)(sizeof dtypes / sizeof *dtypes); }

ATTN_PUBLIC const char *attn_file_dtype_name(int32_t dtype) { return is_known(dtype) ? dtypes[dtype].name : "unknown"; }
ATTN_PUBLIC int64_t attn_file_dtype_bytes(int32_t dtype) { return is_known(dtype) ? dtypes[dtype].bytes : 0; }

const char *attn_dtype_file_name(int32_t dtype) {
  switch (dtype) {
#define CASE(ID, NUMBER, NAME, C_TYPE)                                                                                 \
  case NUMBER: return #ID;
    ATTN_ELEMENT_TYPES(CASE)
#undef CASE
  }
  return "unknown";
}

/* JSON ------------------------------------------------------------------------------------------------------------- */

enum { MOST_NESTING = 8 };

/* A recursive-descent parser. The first error is reported and moves `at` to the end; the parser accepts nothing after
 * it, so that every loop ends. */
typedef struct parser {
  const char *file, *start, *at, *end;
  uint64_t data_bytes;
  attn_header *header;
  int64_t capacity; /* of header->tensors */
  char *names_end;
  attn_status *status;
  attn_code code;
  int depth;
} parser;

static void stop(parser *p, attn_code code) {
  p->code = code;
  p->at = p->end;
}

static void fail(parser *p, const char *expected) {
  if (p->code == ATTN_OK)
    stop(p, attn_fail(p->status, ATTN_BAD_FILE, "%s: the header is corrupt at byte %lld: expected %s", p->file,
                      (long long)(p->at - p->start + 8), expected));
}

/* Returns the next character that is not a space, or -1 at the end. */
static int peek(parser *p) {
  while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\r' || *p->at == '\t'))
    ++p->at;
  return p->at < p->end ? (unsigned char)*p->at : -1;
}

static int accept(parser *p, char c) {
  int is_next = peek(p) == (unsigned char)c;
  p->at += is_next;
  return is_next;
}

static void expect(parser *p, char c, const char *what) {
  if (!accept(p, c))
    fail(p, what);
}

static char *put_utf8(char *out, unsigned c) {
  if (c < 0x80) {
    *out++ = (char)c;
    return out;
  }
  if (c < 0x800) {
    *out++ = (char)(0xC0 | c >> 6);
  } else {
    *out++ = (char)(0xE0 | c >> 12);
    *out++ = (char)(0x80 | (c >> 6 & 63));
  }
  *out++ = (char)(0x80 | (c & 63));
  return out;
}

/* Parses the characters after a backslash. */
static char *parse_escape(parser *p, char *out) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t", digits[] = "0123456789abcdefABCDEF";
  char c = p->at < p->end ? *p->at++ : 0;
  const char *known = c ? strchr(from, c) : 0;
  if (known) {
    *out++ = to[known - from];
    return out;
  }
  if (c != 'u')
    fail(p, "an escaped character");
  unsigned code = 0;
  for (int i = 0; i < 4 && p->code == ATTN_OK; ++i) {
    char hex = p->at < p->end ? *p->at++ : 0;
    const char *digit = hex ? strchr(digits, hex) : 0;
    if (digit)
      code = code * 16 + (unsigned)(digit - digits < 16 ? digit - digits : digit - digits - 6);
    else
      fail(p, "four hexadecimal digits");
  }
  if (code == 0)
    fail(p, "a character other than NUL");
  return put_utf8(out, code);
}

/* Parses a string into the memory of names. A string is not longer than its source with quotes, so memory of the size
 * of the header suffices. */
static const char *parse_string(parser *p) {
  char *result = p->names_end, *out = result;
  expect(p, '"', "a string");
  while (p->at < p->end && *p->at != '"') {
    char c = *p->at++;
    if ((unsigned char)c < 0x20)
      fail(p, "a string without control characters");
    else if (c != '\\')
      *out++ = c;
    else
      out = parse_escape(p, out);
  }
  if (p->at >= p->end) {
    fail(p, "the end of a string");
    return "";
  }
  ++p->at;
  *out++ = 0;
  p->names_end = out;
  return result;
}

/* Parses a string that is valid until the next one is parsed. */
static const char *parse_word(parser *p) {
  char *names = p->names_end;
  const char *word = parse_string(p);
  p->names_end = names;
  return word;
}

static uint64_t parse_number(parser *p) {
  int c = peek(p);
  uint64_t value = 0;
  if (c < '0' || c > '9')
    fail(p, "a non-negative integer");
  while (p->at < p->end && *p->at >= '0' && *p->at <= '9') {
    uint64_t digit = (uint64_t)(*p->at++ - '0');
    if (value > (UINT64_MAX - digit) / 10)
      fail(p, "an integer of 64 bits");
    value = value * 10 + digit;
  }
  return value;
}

/* Skips any JSON value of moderate depth, such as one in the metadata. */
static void skip_value(parser *p) {
  if (++p->depth > MOST_NESTING)
    fail(p, "less nesting");
  int c = peek(p);
  if (c == '"') {
    parse_word(p);
  } else if (c == '{' || c == '[') {
    char close = c == '{' ? '}' : ']';
    ++p->at;
    if (!accept(p, close)) {
      do {
        if (c == '{') {
          parse_word(p);
          expect(p, ':', "':'");
        }
        skip_value(p);
      } while (accept(p, ','));
      expect(p, close, "the end of a list or object");
    }
  } else {
    const char *from = p->at;
    while (p->at < p->end && *p->at && strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", *p->at))
      ++p->at;
    if (p->at == from)
      fail(p, "a value");
  }
  --p->depth;
}

/* The header ------------------------------------------------------------------------------------------------------- */

static void parse_metadata(parser *p) {
  if (peek(p) != '{') {
    skip_value(p);
    return;
  }
  ++p->at;
  if (accept(p, '}'))
    return;
  do {
    int is_object = strcmp(parse_word(p), "attnc.object") == 0;
    expect(p, ':', "':'");
    if (!is_object || peek(p) != '"') {
      skip_value(p);
      continue;
    }
    const char *object = parse_word(p);
    if (strlen(object) < sizeof p->header->object)
      strcpy(p->header->object, object);
  } while (accept(p, ','));
  expect(p, '}', "the end of the metadata");
}

static void parse_dtype(parser *p, attn_file_tensor *tensor) {
  const char *name = parse_word(p);
  tensor->dtype = 0;
  while (is_known(tensor->dtype) && strcmp(name, dtypes[tensor->dtype].name) != 0)
    ++tensor->dtype;
  if (!is_known(tensor->dtype))
    fail(p, "an element type such as F32 before here");
}

static void parse_shape(parser *p, attn_file_tensor *tensor) {
  expect(p, '[', "a shape");
  if (accept(p, ']'))
    return;
  do {
    if (tensor->rank == ATTN_MAX_RANK) {
      fail(p, "at most 8 dimensions");
      return;
    }
    uint64_t size = parse_number(p);
    if (size > INT64_MAX)
      fail(p, "a size of 63 bits");
    tensor->shape[tensor->rank++] = (int64_t)size;
  } while (accept(p, ','));
  expect(p, ']', "the end of the shape");
}

/* Compares shape and type of a tensor with its range of the data, [begin, end). */
static void check_tensor(parser *p, attn_file_tensor *tensor, uint64_t begin, uint64_t end) {
  if (begin > end || end > p->data_bytes) {
    stop(p, attn_fail(p->status, ATTN_BAD_FILE,
                      "%s: tensor '%s' lies at bytes %llu to %llu of the data, but the file has %llu", p->file,
                      attn_shown(tensor->name).text, (unsigned long long)begin, (unsigned long long)end,
                      (unsigned long long)p->data_bytes));
    return;
  }
  tensor->offset = begin;
  tensor->bytes = dtypes[tensor->dtype].bytes;
  for (int32_t i = 0; i < tensor->rank; ++i)
    if (__builtin_mul_overflow(tensor->bytes, (uint64_t)tensor->shape[i], &tensor->bytes)) {
      fail(p, "a smaller shape before here");
      return;
    }
  if (tensor->bytes != end - begin)
    stop(p, attn_fail(p->status, ATTN_BAD_FILE, "%s: tensor '%s' of type %s%s needs %llu bytes, but has %llu", p->file,
                      attn_shown(tensor->name).text, dtypes[tensor->dtype].name,
                      attn_shape(tensor->shape, tensor->rank).text, (unsigned long long)tensor->bytes,
                      (unsigned long long)(end - begin)));
}

static void parse_tensor(parser *p, attn_file_tensor *tensor) {
  enum { DTYPE = 1, SHAPE = 2, OFFSETS = 4 };
  int seen = 0;
  uint64_t begin = 0, end = 0;
  expect(p, '{', "a tensor's description");
  do {
    const char *key = parse_word(p);
    int field = strcmp(key, "dtype") == 0          ? DTYPE
                : strcmp(key, "shape") == 0        ? SHAPE
                : strcmp(key, "data_offsets") == 0 ? OFFSETS
                                                   : 0;
    if (field == 0 || (seen & field))
      fail(p, "dtype, shape and data_offsets once each before here");
    seen |= field;
    expect(p, ':', "':'");
    if (field == DTYPE) {
      parse_dtype(p, tensor);
    } else if (field == SHAPE) {
      parse_shape(p, tensor);
    } else {
      expect(p, '[', "two offsets");
      begin = parse_number(p);
      expect(p, ',', "a second offset");
      end = parse_number(p);
      expect(p, ']', "the end of the offsets");
    }
  } while (accept(p, ','));
  expect(p, '}', "the end of a tensor's description");
  if (seen != (DTYPE | SHAPE | OFFSETS))
    fail(p, "dtype, shape and data_offsets before here");
  if (p->code == ATTN_OK)
    check_tensor(p, tensor, begin, end);
}

static attn_file_tensor *add_tensor(parser *p, const char *name) {
  attn_header *header = p->header;
  if (header->count == p->capacity) {
    p->capacity = p->capacity ? 2 * p->capacity : 64;
    attn_file_tensor *tensors = realloc(header->tensors, (size_t)p->capacity * sizeof *tensors);
    if (!tensors) {
      stop(p, attn_fail(p->status, ATTN_NO_MEMORY, "%s: no memory for its header", p->file));
      return 0;
    }
    header->tensors = tensors;
  }
  attn_file_tensor *added = &header->tensors[header->count++];
  *added = (attn_file_tensor){.name = name};
  return added;
}

static void parse_header(parser *p) {
  expect(p, '{', "'{'");
  if (!accept(p, '}')) {
    do {
      const char *name = parse_string(p);
      expect(p, ':', "':'");
      if (strcmp(name, "__metadata__") == 0) {
        parse_metadata(p);
        continue;
      }
      attn_file_tensor *tensor = p->code == ATTN_OK ? add_tensor(p, name) : 0;
      if (tensor)
        parse_tensor(p, tensor);
    } while (accept(p, ','));
    expect(p, '}', "',' or '}'");
  }
  if (peek(p) != -1)
    fail(p, "nothing after the header's object");
}

static int compare_places(const void *a, const void *b) {
  const attn_file_tensor *x = *(attn_file_tensor *const *)a, *y = *(attn_file_tensor *const *)b;
  if (x->offset != y->offset)
    return x->offset < y->offset ? -1 : 1;
  return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

static int compare_names(const void *a, const void *b) {
  return strcmp((*(attn_file_tensor *const *)a)->name, (*(attn_file_tensor *const *)b)->name);
}

/* Checks that the tensors cover the data exactly once and have distinct names. Fills header->by_name. */
static attn_code check_whole(parser *p) {
  attn_header *header = p->header;
  size_t count = (size_t)header->count;
  attn_file_tensor **order = header->by_name = malloc((count + 1) * sizeof *order);
  if (!order)
    return attn_fail(p->status, ATTN_NO_MEMORY, "%s: no memory for its header", p->file);
  for (size_t i = 0; i < count; ++i)
    order[i] = &header->tensors[i];
  qsort(order, count, sizeof *order, compare_places);
  uint64_t covered = 0;
  for (size_t i = 0; i < count; ++i) {
    if (order[i]->offset != covered)
      return attn_fail(p->status, ATTN_BAD_FILE, "%s: tensor '%s' %s", p->file, attn_shown(order[i]->name).text,
                       order[i]->offset < covered ? "overlaps another" : "leaves a hole before it");
    covered = order[i]->offset + order[i]->bytes;
  }
  if (covered != p->data_bytes)
    return attn_fail(p->status, ATTN_BAD_FILE, "%s: %llu bytes at the end belong to no tensor", p->file,
                     (unsigned long long)(p->data_bytes - covered));
  qsort(order, count, sizeof *order, compare_names);
  for (size_t i = 1; i < count; ++i)
    if (strcmp(order[i - 1]->name, order[i]->name) == 0)
      return attn_fail(p->status, ATTN_BAD_FILE, "%s: tensor '%s' appears twice", p->file,
                       attn_shown(order[i]->name).text);
  return ATTN_OK;
}

attn_code attn_header_parse(const char *file, const char *text, uint64_t text_bytes, uint64_t data_bytes,
                            attn_header *header, attn_status *status) {
  *header = (attn_header){.names = malloc(text_bytes + 1)};
  if (!header->names)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for a header of %llu bytes", file,
                     (unsigned long long)text_bytes);
  parser p = {.file = file, .start = text, .at = text, .end = text + text_bytes, .data_bytes = data_bytes,
              .header = header, .names_end = header->names, .status = status};
  parse_header(&p);
  attn_code code = p.code == ATTN_OK ? check_whole(&p) : p.code;
  if (code != ATTN_OK)
    attn_header_free(header);
  return code;
}

void attn_header_free(attn_header *header) {
  free(header->tensors);
  free(header->by_name);
  free(header->names);
  *header = (attn_header){0};
}
