#define _GNU_SOURCE
#include "attn/weights.h"
#include "internal.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_BYTES = 256, PATH_BYTES = 4096 };

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

static int64_t count_of(const attn_parameter_info *parameter) {
  int64_t count = 1;
  for (int32_t i = 0; i < parameter->list_rank; ++i)
    count *= parameter->counts[i];
  return count;
}

static int64_t bytes_of(const attn_parameter_info *parameter) {
  int64_t bytes = attn_element_bytes(parameter->dtype);
  for (int32_t i = 0; i < parameter->rank; ++i)
    bytes *= parameter->shape[i];
  return bytes;
}

static int is_saved(const attn_parameter_info *parameter, int32_t flags) {
  return !parameter->state || (flags & ATTN_SAVE_STATES);
}

/* The header: tensors in the order of the parameter table. */
static void write_header(struct text *text, const attn_model *model, int32_t flags) {
  static const char *const dtypes[] = {"F32", "I32", "BOOL"};
  int64_t offset = 0;
  append_text(text, "{\"__metadata__\":{\"attnc.object\":");
  append_string(text, model->identity ? model->identity : "");
  append_text(text, "}");
  for (int64_t p = 0; p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    for (int64_t entry = 0; is_saved(parameter, flags) && entry < count_of(parameter); ++entry) {
      char name[NAME_BYTES];
      attn_parameter_name(parameter, entry, name, sizeof name);
      append_text(text, ",");
      append_string(text, name);
      append_text(text, ":{\"dtype\":\"");
      append_text(text, dtypes[parameter->dtype]);
      append_text(text, "\",\"shape\":[");
      for (int32_t d = 0; d < parameter->rank; ++d) {
        append_text(text, d ? "," : "");
        append_number(text, parameter->shape[d]);
      }
      append_text(text, "],\"data_offsets\":[");
      append_number(text, offset);
      append_text(text, ",");
      append_number(text, offset += bytes_of(parameter));
      append_text(text, "]}");
    }
  }
  append_text(text, "}");
  while (!text->failed && text->length % 8)
    append_text(text, " ");
}

static int write_all(int file, const void *data, size_t count) {
  for (const char *at = data; count > 0;) {
    ssize_t written = write(file, at, count);
    if (written < 0 && errno == EINTR)
      continue;
    if (written == 0)
      errno = EIO; /* for the message: write itself sets nothing here */
    if (written <= 0)
      return 0;
    at += written;
    count -= (size_t)written;
  }
  return 1;
}

static int write_file(int file, const struct text *header, const attn_weights *weights, int32_t flags) {
  const attn_model *model = attn_weights_model(weights);
  unsigned char size[8];
  for (int i = 0; i < 8; ++i)
    size[i] = (unsigned char)((uint64_t)header->length >> (8 * i));
  int ok = write_all(file, size, sizeof size) && write_all(file, header->data, header->length);
  for (int64_t p = 0; ok && p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    for (int64_t entry = 0; ok && is_saved(parameter, flags) && entry < count_of(parameter); ++entry)
      ok = write_all(file, attn_weights_table(weights)[parameter->first + entry], (size_t)bytes_of(parameter));
  }
  return ok && fsync(file) == 0;
}

/* A rename is on disk when its directory is. */
static int sync_directory(const char *path) {
  char directory[PATH_BYTES];
  const char *slash = strrchr(path, '/');
  size_t length = slash ? (size_t)(slash - path) + (slash == path) : 1;
  memcpy(directory, slash ? path : ".", length);
  directory[length] = 0;
  int file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int ok = file >= 0 && fsync(file) == 0;
  if (file >= 0)
    close(file);
  return ok;
}

ATTN_PUBLIC attn_code attn_weights_save(const attn_weights *weights, const char *path, int32_t flags,
                                        attn_status *status) {
  const attn_model *model = attn_weights_model(weights);
  char temporary[PATH_BYTES];
  if (strlen(path) > sizeof temporary - 32)
    return attn_fail(status, ATTN_BAD_FILE, "%.200s...: the path is too long", path);
  if ((flags & ATTN_SAVE_STATES) && !attn_weights_are_trainable(weights))
    return attn_fail(status, ATTN_BAD_WEIGHTS, "%s: these weights have no states of training to save", model->name);
  struct text header = {0, 0, 0, 0};
  write_header(&header, model, flags);
  if (header.failed) {
    free(header.data);
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory to write its header", path);
  }
  snprintf(temporary, sizeof temporary, "%s.%ld.part", path, (long)getpid());
  int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  int ok = file >= 0 && write_file(file, &header, weights, flags);
  int fault = errno;
  free(header.data);
  if (file >= 0 && close(file) != 0 && ok) {
    ok = 0;
    fault = errno;
  }
  if (ok && (rename(temporary, path) != 0 || !sync_directory(path))) {
    ok = 0;
    fault = errno;
  }
  if (ok)
    return attn_succeed(status);
  if (file >= 0)
    unlink(temporary);
  return attn_fail(status, ATTN_BAD_FILE, "%s: cannot be written: %s", path, strerror(fault));
}
