#define _GNU_SOURCE
#include "attn/weights.h"
#include "internal.h"
#include "record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define METADATA "\"__metadata__\"" /* the key of the header that names no tensor */

/* Text that grows; `failed` where memory ended. */
struct text {
  char *data;
  size_t length, capacity;
  int failed;
};

static void append(struct text *text, const char *bytes, size_t count) {
  if (!text->failed && text->length + count > text->capacity) {
    size_t capacity = 2 * (text->length + count);
    char *data = realloc(text->data, capacity);
    text->failed = !data;
    text->data = data ? data : text->data;
    text->capacity = data ? capacity : text->capacity;
  }
  if (text->failed)
    return;
  memcpy(text->data + text->length, bytes, count);
  text->length += count;
}

static void append_text(struct text *text, const char *string) { append(text, string, strlen(string)); }

static void append_number(struct text *text, int64_t number) {
  char digits[24];
  append(text, digits, (size_t)snprintf(digits, sizeof digits, "%" PRId64, number));
}

/* A JSON string: names of tensors are UTF-8. */
static void append_string(struct text *text, const char *string) {
  append_text(text, "\"");
  for (const unsigned char *c = (const unsigned char *)string; *c; ++c) {
    char escape[8];
    if (*c < 0x20)
      append(text, escape, (size_t)snprintf(escape, sizeof escape, "\\u%04x", *c));
    else if (*c == '"' || *c == '\\')
      append(text, escape, (size_t)snprintf(escape, sizeof escape, "\\%c", *c));
    else
      append(text, (const char *)c, 1);
  }
  append_text(text, "\"");
}

static int is_saved(const attn_parameter_info *parameter, int32_t flags) {
  return !parameter->state || (flags & ATTN_SAVE_STATES);
}

/* A tensor's name in the header, in its quotes. */
struct entry {
  size_t offset, length;
  const char *text; /* the header's, once that is whole */
};

static int by_name(const void *a, const void *b) {
  const struct entry *x = a, *y = b;
  int order = memcmp(x->text + x->offset, y->text + y->offset, x->length < y->length ? x->length : y->length);
  return order ? order : x->length < y->length ? -1 : x->length > y->length;
}

static void append_tensor(struct text *text, const attn_parameter_info *parameter, int64_t offset) {
  append_text(text, ":{\"dtype\":\"");
  append_text(text, attn_dtype_file_name(parameter->dtype));
  append_text(text, "\",\"shape\":[");
  for (int32_t d = 0; d < parameter->rank; ++d) {
    append_text(text, d ? "," : "");
    append_number(text, parameter->shape[d]);
  }
  append_text(text, "],\"data_offsets\":[");
  append_number(text, offset);
  append_text(text, ",");
  append_number(text, offset + (int64_t)attn_parameter_bytes(parameter));
  append_text(text, "]}");
}

/* The header: tensors in the order of the parameter table. Returns how many, and writes to `entries` where their names
 * lie; `name` has room for each of them. */
static size_t write_header(struct text *text, const attn_model *model, int32_t flags, char *name, size_t name_bytes,
                           struct entry *entries) {
  size_t count = 0;
  int64_t offset = 0;
  append_text(text, "{" METADATA ":{\"attnc.object\":");
  append_string(text, model->identity ? model->identity : "");
  append_text(text, "}");
  for (int64_t p = 0; p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    for (int64_t entry = 0; is_saved(parameter, flags) && entry < attn_entries(parameter); ++entry) {
      attn_parameter_name(parameter, entry, name, name_bytes);
      append_text(text, ",");
      entries[count].offset = text->length;
      append_string(text, name);
      entries[count].length = text->length - entries[count].offset;
      ++count;
      append_tensor(text, parameter, offset);
      offset += (int64_t)attn_parameter_bytes(parameter);
    }
  }
  append_text(text, "}");
  while (!text->failed && text->length % 8)
    append_text(text, " ");
  return count;
}

/* The header in `text`, or why there can't be one. */
static attn_code make_header(struct text *text, const attn_model *model, const char *path, int32_t flags,
                             attn_status *status) {
  size_t name_bytes = attn_name_bytes(model);
  char *name = malloc(name_bytes);
  struct entry *entries = malloc(((size_t)model->loaded_count + 1) * sizeof *entries);
  attn_code code = ATTN_OK;
  size_t count = 0;
  if (name && entries)
    count = write_header(text, model, flags, name, name_bytes, entries);
  if (!name || !entries || text->failed)
    code = attn_fail(status, ATTN_NO_MEMORY, "%s: no memory to write its header", path);
  for (size_t i = 0; code == ATTN_OK && i < count; ++i) {
    entries[i].text = text->data;
    if (strncmp(text->data + entries[i].offset, METADATA, sizeof METADATA - 1) == 0)
      code = attn_fail(status, ATTN_BAD_WEIGHTS, "%s: not written: a parameter of %s has the name " METADATA
                       ", which the file format reserves; rename it in the model", path, model->name);
  }
  if (code == ATTN_OK)
    qsort(entries, count, sizeof *entries, by_name);
  for (size_t i = 1; code == ATTN_OK && i < count; ++i)
    if (by_name(&entries[i - 1], &entries[i]) == 0) {
      text->data[entries[i].offset + entries[i].length] = 0;
      code = attn_fail(status, ATTN_BAD_WEIGHTS, "%s: not written: two parameters of %s have the name %s", path,
                       model->name, attn_shown(text->data + entries[i].offset).text);
    }
  free(name);
  free(entries);
  return code;
}

/* Values that were given up can't be saved. */
static attn_code check_values(const attn_weights *weights, int32_t flags, attn_status *status) {
  const attn_model *model = weights->model;
  for (int64_t p = 0; p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    for (int64_t entry = 0; is_saved(parameter, flags) && entry < attn_entries(parameter); ++entry)
      if (!weights->table[parameter->first + entry])
        return attn_fail(status, ATTN_BAD_WEIGHTS, "%s: the values of %s are in memory as packed weights alone; load "
                         "with ATTN_KEEP_VALUES what is to be saved", model->name, attn_shown(parameter->name).text);
  }
  return ATTN_OK;
}

static int write_all(int file, const void *data, size_t count) {
  for (const char *at = data; count > 0;) {
    ssize_t written = write(file, at, count);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return written < 0 ? errno : EIO; /* write itself sets nothing where it writes nothing */
    at += written;
    count -= (size_t)written;
  }
  return 0;
}

/* Gives 0 or an errno. */
static int write_file(int file, const struct text *header, const attn_weights *weights, int32_t flags) {
  const attn_model *model = attn_weights_model(weights);
  unsigned char size[8];
  for (int i = 0; i < 8; ++i)
    size[i] = (unsigned char)((uint64_t)header->length >> (8 * i));
  int fault = write_all(file, size, sizeof size);
  if (!fault)
    fault = write_all(file, header->data, header->length);
  for (int64_t p = 0; !fault && p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    for (int64_t entry = 0; !fault && is_saved(parameter, flags) && entry < attn_entries(parameter); ++entry)
      fault = write_all(file, attn_weights_table(weights)[parameter->first + entry], attn_parameter_bytes(parameter));
  }
  return fault;
}

ATTN_PUBLIC attn_code attn_weights_save(const attn_weights *weights, const char *path, int32_t flags,
                                        attn_status *status) {
  const attn_model *model = attn_weights_model(weights);
  attn_code code = attn_check_pointer(weights, "the attn_weights", status);
  if (code == ATTN_OK)
    code = attn_check_pointer(path, "the path of the file to save to", status);
  if (code != ATTN_OK)
    return code;
  if ((flags & ATTN_SAVE_STATES) && !attn_weights_are_trainable(weights))
    return attn_fail(status, ATTN_BAD_WEIGHTS, "%s: these weights have no states of training to save", model->name);
  code = check_values(weights, flags, status);
  struct text header = {0, 0, 0, 0};
  if (code == ATTN_OK)
    code = make_header(&header, model, path, flags, status);
  if (code != ATTN_OK) {
    free(header.data);
    return code;
  }
  attn_replacement replacement;
  int fault = attn_replacement_begin(&replacement, path);
  if (!fault) {
    fault = write_file(replacement.file, &header, weights, flags);
    if (fault)
      attn_replacement_abandon(&replacement);
    else
      fault = attn_replacement_commit(&replacement);
  }
  free(header.data);
  return fault ? attn_fail(status, ATTN_BAD_FILE, "%.300s: cannot be written: %s", path, strerror(fault))
               : attn_succeed(status);
}
