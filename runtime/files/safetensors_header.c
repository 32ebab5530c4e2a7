#include "safetensors_header.h"
#include "internal.h"
#include "json.h"

#include <inttypes.h>
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
  case NUMBER:                                                                                                         \
    return #ID;
    ATTN_ELEMENT_TYPES(CASE)
#undef CASE
  }
  return "unknown";
}

/* The header ------------------------------------------------------------------------------------------------------- */

typedef struct parser {
  attn_json *json;
  uint64_t data_bytes;
  attn_header *header;
  int64_t capacity; /* of header->tensors */
} parser;

static void parse_metadata(parser *p) {
  if (attn_json_peek(p->json) != '{') {
    attn_json_skip(p->json);
    return;
  }
  ++p->json->at;
  if (attn_json_accept(p->json, '}'))
    return;
  do {
    int is_object = strcmp(attn_json_word(p->json), "attnc.object") == 0;
    attn_json_expect(p->json, ':', "':'");
    if (!is_object || attn_json_peek(p->json) != '"') {
      attn_json_skip(p->json);
      continue;
    }
    const char *object = attn_json_word(p->json);
    if (strlen(object) < sizeof p->header->object)
      strcpy(p->header->object, object);
  } while (attn_json_accept(p->json, ','));
  attn_json_expect(p->json, '}', "the end of the metadata");
}

static void parse_dtype(parser *p, attn_file_tensor *tensor) {
  const char *name = attn_json_word(p->json);
  tensor->dtype = 0;
  while (is_known(tensor->dtype) && strcmp(name, dtypes[tensor->dtype].name) != 0)
    ++tensor->dtype;
  if (!is_known(tensor->dtype))
    attn_json_fail(p->json, "an element type such as F32 before here");
}

static void parse_shape(parser *p, attn_file_tensor *tensor) {
  attn_json_expect(p->json, '[', "a shape");
  if (attn_json_accept(p->json, ']'))
    return;
  do {
    if (tensor->rank == ATTN_MAX_RANK) {
      attn_json_fail(p->json, "at most 8 dimensions");
      return;
    }
    uint64_t size = attn_json_number(p->json);
    if (size > INT64_MAX)
      attn_json_fail(p->json, "a size of 63 bits");
    tensor->shape[tensor->rank++] = (int64_t)size;
  } while (attn_json_accept(p->json, ','));
  attn_json_expect(p->json, ']', "the end of the shape");
}

/* Compares shape and type of a tensor with its range of the data, [begin, end). */
static void check_tensor(parser *p, attn_file_tensor *tensor, uint64_t begin, uint64_t end) {
  if (begin > end || end > p->data_bytes) {
    attn_json_stop(p->json, attn_fail(p->json->status, ATTN_BAD_FILE,
                                      "%s: tensor '%s' lies at bytes %llu to %llu of the data, but the file has %llu",
                                      p->json->file, attn_shown(tensor->name).text, (unsigned long long)begin,
                                      (unsigned long long)end, (unsigned long long)p->data_bytes));
    return;
  }
  tensor->offset = begin;
  tensor->bytes = dtypes[tensor->dtype].bytes;
  for (int32_t i = 0; i < tensor->rank; ++i)
    if (__builtin_mul_overflow(tensor->bytes, (uint64_t)tensor->shape[i], &tensor->bytes)) {
      attn_json_fail(p->json, "a smaller shape before here");
      return;
    }
  if (tensor->bytes != end - begin)
    attn_json_stop(p->json, attn_fail(p->json->status, ATTN_BAD_FILE,
                                      "%s: tensor '%s' of type %s%s needs %llu bytes, but has %llu", p->json->file,
                                      attn_shown(tensor->name).text, dtypes[tensor->dtype].name,
                                      attn_shape(tensor->shape, tensor->rank).text, (unsigned long long)tensor->bytes,
                                      (unsigned long long)(end - begin)));
}

static void parse_tensor(parser *p, attn_file_tensor *tensor) {
  enum { DTYPE = 1, SHAPE = 2, OFFSETS = 4 };
  int seen = 0;
  uint64_t begin = 0, end = 0;
  attn_json_expect(p->json, '{', "a tensor's description");
  do {
    const char *key = attn_json_word(p->json);
    int field = strcmp(key, "dtype") == 0          ? DTYPE
                : strcmp(key, "shape") == 0        ? SHAPE
                : strcmp(key, "data_offsets") == 0 ? OFFSETS
                                                   : 0;
    if (field == 0 || (seen & field))
      attn_json_fail(p->json, "dtype, shape and data_offsets once each before here");
    seen |= field;
    attn_json_expect(p->json, ':', "':'");
    if (field == DTYPE) {
      parse_dtype(p, tensor);
    } else if (field == SHAPE) {
      parse_shape(p, tensor);
    } else {
      attn_json_expect(p->json, '[', "two offsets");
      begin = attn_json_number(p->json);
      attn_json_expect(p->json, ',', "a second offset");
      end = attn_json_number(p->json);
      attn_json_expect(p->json, ']', "the end of the offsets");
    }
  } while (attn_json_accept(p->json, ','));
  attn_json_expect(p->json, '}', "the end of a tensor's description");
  if (seen != (DTYPE | SHAPE | OFFSETS))
    attn_json_fail(p->json, "dtype, shape and data_offsets before here");
  if (p->json->code == ATTN_OK)
    check_tensor(p, tensor, begin, end);
}

static attn_file_tensor *add_tensor(parser *p, const char *name) {
  attn_header *header = p->header;
  if (header->count == p->capacity) {
    p->capacity = p->capacity ? 2 * p->capacity : 64;
    attn_file_tensor *tensors = realloc(header->tensors, (size_t)p->capacity * sizeof *tensors);
    if (!tensors) {
      attn_json_stop(p->json,
                     attn_fail(p->json->status, ATTN_NO_MEMORY, "%s: no memory for its header", p->json->file));
      return 0;
    }
    header->tensors = tensors;
  }
  attn_file_tensor *added = &header->tensors[header->count++];
  *added = (attn_file_tensor){.name = name};
  return added;
}

static void parse_header(parser *p) {
  attn_json_expect(p->json, '{', "'{'");
  if (!attn_json_accept(p->json, '}')) {
    do {
      const char *name = attn_json_string(p->json);
      attn_json_expect(p->json, ':', "':'");
      if (strcmp(name, ATTN_METADATA) == 0) {
        parse_metadata(p);
        continue;
      }
      attn_file_tensor *tensor = p->json->code == ATTN_OK ? add_tensor(p, name) : 0;
      if (tensor)
        parse_tensor(p, tensor);
    } while (attn_json_accept(p->json, ','));
    attn_json_expect(p->json, '}', "',' or '}'");
  }
  if (attn_json_peek(p->json) != -1)
    attn_json_fail(p->json, "nothing after the header's object");
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

attn_code attn_header_check(const char *file, attn_header *header, uint64_t data_bytes, attn_status *status) {
  size_t count = (size_t)header->count;
  attn_file_tensor **order = header->by_name = malloc((count + 1) * sizeof *order);
  if (!order)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for its header", file);
  for (size_t i = 0; i < count; ++i)
    order[i] = &header->tensors[i];
  qsort(order, count, sizeof *order, compare_places);
  uint64_t covered = 0;
  for (size_t i = 0; i < count; ++i) {
    if (order[i]->offset != covered)
      return attn_fail(status, ATTN_BAD_FILE, "%s: tensor '%s' %s", file, attn_shown(order[i]->name).text,
                       order[i]->offset < covered ? "overlaps another" : "leaves a hole before it");
    covered = order[i]->offset + order[i]->bytes;
  }
  if (covered != data_bytes)
    return attn_fail(status, ATTN_BAD_FILE, "%s: %llu bytes at the end belong to no tensor", file,
                     (unsigned long long)(data_bytes - covered));
  qsort(order, count, sizeof *order, compare_names);
  for (size_t i = 1; i < count; ++i)
    if (strcmp(order[i - 1]->name, order[i]->name) == 0)
      return attn_fail(status, ATTN_BAD_FILE, "%s: tensor '%s' appears twice", file, attn_shown(order[i]->name).text);
  return ATTN_OK;
}

attn_code attn_header_parse(const char *file, const char *text, uint64_t text_bytes, uint64_t data_bytes,
                            attn_header *header, attn_status *status) {
  *header = (attn_header){.names = malloc(text_bytes + 1)};
  if (!header->names)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for a header of %llu bytes", file,
                     (unsigned long long)text_bytes);
  attn_json json = attn_json_begin(file, "header", 8, text, text_bytes, header->names, status);
  parse_header(&(parser){.json = &json, .data_bytes = data_bytes, .header = header});
  attn_code code = json.code == ATTN_OK ? attn_header_check(file, header, data_bytes, status) : json.code;
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

int64_t attn_header_write(FILE *out, const char *name, const char *dtype, const int64_t *shape, int32_t rank,
                          int64_t offset, int64_t bytes) {
  attn_json_write_string(out, name);
  fprintf(out, ":{\"dtype\":\"%s\",\"shape\":[", dtype);
  for (int32_t d = 0; d < rank; ++d)
    fprintf(out, "%s%" PRId64, d > 0 ? "," : "", shape[d]);
  fprintf(out, "],\"data_offsets\":[%" PRId64 ",%" PRId64 "]}", offset, offset + bytes);
  return offset + bytes;
}
