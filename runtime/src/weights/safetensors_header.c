#include "safetensors_header.h"
#include "internal.h"

#include <stdlib.h>
#include <string.h>

typedef struct parser {
  const char *file, *start, *at, *end;
  char *names_end;
  attn_status *status;
  attn_code code;
  int depth;
} parser;

enum { MOST_NESTING = 8 };

static int fail(parser *p, const char *expected) {
  if (p->code == ATTN_OK)
    p->code = attn_fail(p->status, ATTN_BAD_FILE, "%s: the header is corrupt at byte %lld: expected %s", p->file,
                        (long long)(p->at - p->start + 8), expected);
  return 0;
}

static void skip_space(parser *p) {
  while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\r' || *p->at == '\t'))
    ++p->at;
}

static int peek(parser *p) {
  skip_space(p);
  return p->at < p->end ? (unsigned char)*p->at : -1;
}

static int accept(parser *p, char c) {
  if (peek(p) != (unsigned char)c)
    return 0;
  ++p->at;
  return 1;
}

static int expect(parser *p, char c, const char *what) { return accept(p, c) ? 1 : fail(p, what); }

static int hex4(parser *p, unsigned *value) {
  *value = 0;
  for (int i = 0; i < 4; ++i) {
    if (p->at >= p->end)
      return fail(p, "four hexadecimal digits");
    char c = *p->at++;
    unsigned digit = c >= '0' && c <= '9' ? (unsigned)(c - '0')
                     : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
                     : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                            : 16;
    if (digit == 16)
      return fail(p, "four hexadecimal digits");
    *value = *value * 16 + digit;
  }
  return 1;
}

static char *put_utf8(char *out, unsigned c) {
  if (c < 0x80) {
    *out++ = (char)c;
  } else if (c < 0x800) {
    *out++ = (char)(0xC0 | c >> 6);
    *out++ = (char)(0x80 | (c & 63));
  } else {
    *out++ = (char)(0xE0 | c >> 12);
    *out++ = (char)(0x80 | (c >> 6 & 63));
    *out++ = (char)(0x80 | (c & 63));
  }
  return out;
}

static int parse_escape(parser *p, char **out) {
  static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
  if (p->at >= p->end)
    return fail(p, "an escaped character");
  char c = *p->at++;
  const char *known = c ? strchr(from, c) : 0;
  if (known) {
    *(*out)++ = to[known - from];
    return 1;
  }
  unsigned code;
  if (c != 'u')
    return fail(p, "an escaped character");
  if (!hex4(p, &code))
    return 0;
  if (code == 0)
    return fail(p, "a character other than NUL");
  *out = put_utf8(*out, code);
  return 1;
}

/* Reads a string into the storage of names and returns it, or null. An unescaped string is never longer than its
 * source with quotes, so the storage of the header's size always suffices. */
static const char *parse_string(parser *p) {
  if (!expect(p, '"', "a string"))
    return 0;
  char *out = p->names_end, *result = out;
  while (p->at < p->end && *p->at != '"') {
    char c = *p->at++;
    if ((unsigned char)c < 0x20) {
      fail(p, "a string without control characters");
      return 0;
    }
    if (c != '\\')
      *out++ = c;
    else if (!parse_escape(p, &out))
      return 0;
  }
  if (p->at >= p->end) {
    fail(p, "the end of a string");
    return 0;
  }
  ++p->at;
  *out++ = 0;
  p->names_end = out;
  return result;
}

static int parse_number(parser *p, uint64_t *value) {
  int c = peek(p);
  if (c < '0' || c > '9')
    return fail(p, "a non-negative integer");
  *value = 0;
  while (p->at < p->end && *p->at >= '0' && *p->at <= '9') {
    uint64_t digit = (uint64_t)(*p->at++ - '0');
    if (*value > (UINT64_MAX - digit) / 10)
      return fail(p, "an integer of 64 bits");
    *value = *value * 10 + digit;
  }
  return 1;
}

/* Passes over any JSON value of moderate depth (the free-form metadata). */
static int skip_value(parser *p) {
  if (++p->depth > MOST_NESTING)
    return fail(p, "less nesting");
  int c = peek(p), ok = 1;
  char *names = p->names_end;
  if (c == '"') {
    ok = parse_string(p) != 0;
  } else if (c == '{' || c == '[') {
    char close = c == '{' ? '}' : ']';
    ++p->at;
    if (!accept(p, close)) {
      do {
        ok = c == '[' || (parse_string(p) && expect(p, ':', "':'"));
        ok = ok && skip_value(p);
      } while (ok && accept(p, ','));
      ok = ok && expect(p, close, "the end of a list or object");
    }
  } else {
    const char *from = p->at;
    while (p->at < p->end && strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", *p->at) && *p->at)
      ++p->at;
    ok = p->at > from || fail(p, "a value");
  }
  p->names_end = names;
  --p->depth;
  return ok;
}

/* The metadata, of which one text is kept. */
static int parse_metadata(parser *p, attn_header *header) {
  if (peek(p) != '{')
    return skip_value(p);
  ++p->at;
  if (accept(p, '}'))
    return 1;
  char *names = p->names_end;
  do {
    const char *key = parse_string(p);
    if (!key || !expect(p, ':', "':'"))
      return 0;
    int is_object = strcmp(key, "attnc.object") == 0 && peek(p) == '"';
    const char *value = is_object ? parse_string(p) : 0;
    if (is_object ? !value : !skip_value(p))
      return 0;
    if (value && strlen(value) < sizeof header->object)
      strcpy(header->object, value);
    p->names_end = names;
  } while (accept(p, ','));
  return expect(p, '}', "the end of the metadata");
}

static int parse_dtype(parser *p, attn_file_tensor *tensor) {
  char *names = p->names_end;
  const char *name = parse_string(p);
  if (!name)
    return 0;
  p->names_end = names;
  for (tensor->dtype = ATTN_FILE_BOOL; tensor->dtype <= ATTN_FILE_F64; ++tensor->dtype)
    if (strcmp(name, attn_file_dtype_name(tensor->dtype)) == 0)
      return 1;
  return fail(p, "an element type such as F32 before here");
}

static int parse_shape(parser *p, attn_file_tensor *tensor) {
  tensor->rank = 0;
  if (!expect(p, '[', "a shape"))
    return 0;
  if (accept(p, ']'))
    return 1;
  do {
    uint64_t size;
    if (tensor->rank == ATTN_MAX_RANK)
      return fail(p, "at most 8 dimensions");
    if (!parse_number(p, &size))
      return 0;
    if (size > INT64_MAX)
      return fail(p, "a size of 63 bits");
    tensor->shape[tensor->rank++] = (int64_t)size;
  } while (accept(p, ','));
  return expect(p, ']', "the end of the shape");
}

static int parse_offsets(parser *p, uint64_t offsets[2]) {
  return expect(p, '[', "two offsets") && parse_number(p, &offsets[0]) && expect(p, ',', "a second offset") &&
         parse_number(p, &offsets[1]) && expect(p, ']', "the end of the offsets");
}

static int parse_tensor(parser *p, attn_file_tensor *tensor, uint64_t data_bytes) {
  int seen = 0;
  uint64_t offsets[2] = {0, 0};
  if (!expect(p, '{', "a tensor's description"))
    return 0;
  do {
    char *names = p->names_end;
    const char *key = parse_string(p);
    if (!key)
      return 0;
    int which = strcmp(key, "dtype") == 0          ? 1
                : strcmp(key, "shape") == 0        ? 2
                : strcmp(key, "data_offsets") == 0 ? 4
                                                   : 0;
    p->names_end = names;
    if (which == 0 || (seen & which))
      return fail(p, "dtype, shape and data_offsets once each before here");
    seen |= which;
    if (!expect(p, ':', "':'") ||
        !(which == 1 ? parse_dtype(p, tensor) : which == 2 ? parse_shape(p, tensor) : parse_offsets(p, offsets)))
      return 0;
  } while (accept(p, ','));
  if (!expect(p, '}', "the end of a tensor's description"))
    return 0;
  if (seen != 7)
    return fail(p, "dtype, shape and data_offsets before here");
  if (offsets[0] > offsets[1] || offsets[1] > data_bytes) {
    p->code = attn_fail(p->status, ATTN_BAD_FILE,
                        "%s: tensor '%s' lies at bytes %llu to %llu of the data, but the file holds %llu", p->file,
                        attn_shown(tensor->name).text, (unsigned long long)offsets[0], (unsigned long long)offsets[1],
                        (unsigned long long)data_bytes);
    return 0;
  }
  uint64_t bytes = (uint64_t)attn_file_dtype_bytes(tensor->dtype);
  for (int32_t i = 0; i < tensor->rank; ++i)
    if (__builtin_mul_overflow(bytes, (uint64_t)tensor->shape[i], &bytes))
      return fail(p, "a smaller shape before here");
  if (bytes != offsets[1] - offsets[0]) {
    char shape[ATTN_SHAPE_BYTES];
    p->code = attn_fail(p->status, ATTN_BAD_FILE, "%s: tensor '%s' of type %s%s needs %llu bytes, but has %llu",
                        p->file, attn_shown(tensor->name).text, attn_file_dtype_name(tensor->dtype),
                        attn_shape_text(tensor->shape, tensor->rank, shape, sizeof shape), (unsigned long long)bytes,
                        (unsigned long long)(offsets[1] - offsets[0]));
    return 0;
  }
  tensor->bytes = bytes;
  tensor->offset = offsets[0];
  return 1;
}

static int append(parser *p, attn_header *header, int64_t *capacity, const char *name) {
  if (header->count == *capacity) {
    int64_t grown = *capacity ? 2 * *capacity : 64;
    attn_file_tensor *tensors = realloc(header->tensors, (size_t)grown * sizeof *tensors);
    if (!tensors) {
      p->code = attn_fail(p->status, ATTN_NO_MEMORY, "%s: no memory for its header", p->file);
      return 0;
    }
    header->tensors = tensors;
    *capacity = grown;
  }
  header->tensors[header->count] = (attn_file_tensor){.name = name};
  ++header->count;
  return 1;
}

static int by_place(const void *a, const void *b) {
  const attn_file_tensor *x = *(attn_file_tensor *const *)a, *y = *(attn_file_tensor *const *)b;
  if (x->offset != y->offset)
    return x->offset < y->offset ? -1 : 1;
  return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

static int by_name(const void *a, const void *b) {
  return strcmp((*(attn_file_tensor *const *)a)->name, (*(attn_file_tensor *const *)b)->name);
}

/* The format wants the data covered exactly once, and names once each. Leaves the tensors in the order of names. */
static int check_whole(parser *p, attn_header *header, uint64_t data_bytes) {
  attn_file_tensor **order = header->by_name = malloc((size_t)(header->count + 1) * sizeof *order);
  if (!order) {
    p->code = attn_fail(p->status, ATTN_NO_MEMORY, "%s: no memory for its header", p->file);
    return 0;
  }
  for (int64_t i = 0; i < header->count; ++i)
    order[i] = &header->tensors[i];
  qsort(order, (size_t)header->count, sizeof *order, by_place);
  uint64_t covered = 0;
  for (int64_t i = 0; i < header->count && p->code == ATTN_OK; ++i) {
    if (order[i]->offset != covered)
      p->code = attn_fail(p->status, ATTN_BAD_FILE, "%s: tensor '%s' %s", p->file, attn_shown(order[i]->name).text,
                          order[i]->offset < covered ? "overlaps another" : "leaves a hole before it");
    covered = order[i]->offset + order[i]->bytes;
  }
  if (p->code == ATTN_OK && covered != data_bytes)
    p->code = attn_fail(p->status, ATTN_BAD_FILE, "%s: %llu bytes at the end belong to no tensor", p->file,
                        (unsigned long long)(data_bytes - covered));
  qsort(order, (size_t)header->count, sizeof *order, by_name);
  for (int64_t i = 1; i < header->count && p->code == ATTN_OK; ++i)
    if (strcmp(order[i - 1]->name, order[i]->name) == 0)
      p->code = attn_fail(p->status, ATTN_BAD_FILE, "%s: tensor '%s' appears twice", p->file,
                          attn_shown(order[i]->name).text);
  return p->code == ATTN_OK;
}

static void parse_all(parser *p, attn_header *header, uint64_t data_bytes) {
  int64_t capacity = 0;
  if (!expect(p, '{', "'{'"))
    return;
  if (!accept(p, '}')) {
    do {
      const char *name = parse_string(p);
      if (!name || !expect(p, ':', "':'"))
        return;
      if (strcmp(name, "__metadata__") == 0) {
        if (!parse_metadata(p, header))
          return;
      } else if (!append(p, header, &capacity, name) ||
                 !parse_tensor(p, &header->tensors[header->count - 1], data_bytes)) {
        return;
      }
    } while (accept(p, ','));
    if (!expect(p, '}', "',' or '}'"))
      return;
  }
  if (peek(p) != -1) {
    fail(p, "nothing after the header's object");
    return;
  }
  check_whole(p, header, data_bytes);
}

attn_code attn_header_parse(const char *file, const char *text, uint64_t text_bytes, uint64_t data_bytes,
                            attn_header *header, attn_status *status) {
  *header = (attn_header){0};
  header->names = malloc(text_bytes + 1);
  if (!header->names)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for a header of %llu bytes", file,
                     (unsigned long long)text_bytes);
  parser p = {file, text, text, text + text_bytes, header->names, status, ATTN_OK, 0};
  parse_all(&p, header, data_bytes);
  if (p.code != ATTN_OK)
    attn_header_free(header);
  return p.code;
}

void attn_header_free(attn_header *header) {
  free(header->tensors);
  free(header->by_name);
  free(header->names);
  *header = (attn_header){0};
}
