#define _GNU_SOURCE
#include "attn/packed.h"
#include "format.h"
#include "internal.h"
#include "json.h"
#include "replacement.h"
#include "weights_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const attn_parameter_info *attn_parameter_of(const attn_model *model, int64_t number) {
  const attn_parameter_info *parameter = model->parameters;
  while (number < parameter->first || number >= parameter->first + attn_entries(parameter))
    ++parameter;
  return parameter;
}

char *attn_packed_name(const attn_model *model, int64_t number) {
  const attn_packed_info *packed = &model->packed[number];
  const attn_parameter_info *parameter = attn_parameter_of(model, packed->source);
  size_t size = attn_name_bytes(model) + 1 + strlen(packed->layout);
  char *name = malloc(size);
  if (name) {
    int length = attn_parameter_name(parameter, packed->source - parameter->first, name, size);
    snprintf(name + length, size - (size_t)length, "|%s", packed->layout);
  }
  return name;
}

/* Writes the descriptions of all tensors; returns the bytes of their data, or -1 without memory for a name. */
static int64_t write_tensors(FILE *out, const attn_model *model) {
  int64_t offset = 0;
  for (int64_t i = 0; i < model->packed_count; ++i) {
    char *name = attn_packed_name(model, i);
    if (!name)
      return -1;
    putc(',', out);
    offset = attn_header_write(out, name, "U8", &model->packed[i].bytes, 1, offset, model->packed[i].bytes);
    free(name);
  }
  size_t name_bytes = attn_name_bytes(model);
  char *name = malloc(name_bytes);
  for (int64_t p = 0; name && p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    for (int64_t entry = 0; attn_is_packed_value(parameter) && entry < attn_entries(parameter); ++entry) {
      attn_parameter_name(parameter, entry, name, name_bytes);
      putc(',', out);
      offset = attn_header_write(out, name, attn_dtype_file_name(parameter->dtype), parameter->shape, parameter->rank,
                                 offset, (int64_t)attn_parameter_bytes(parameter));
    }
  }
  free(name);
  return name ? offset : -1;
}

/* Writes all that precedes the data: the bytes of the header, and the header. Returns the bytes of the data, or -1. */
static int64_t write_header(FILE *out, const attn_model *model) {
  char size[8] = {0};
  fwrite(size, 1, sizeof size, out); /* set by make_header */
  fputs(ATTN_PACKED_BEGIN, out);
  char *description;
  if (asprintf(&description, "%s for %s", model->name, model->target) < 0)
    return -1;
  attn_json_write_string(out, description);
  free(description);
  fputs(",\"attnc.object\":", out);
  attn_json_write_string(out, model->identity ? model->identity : "");
  putc('}', out);
  int64_t bytes = write_tensors(out, model);
  putc('}', out);
  fprintf(out, "%*s", (int)(-ftell(out) & (ATTN_PACKED_HEADER_UNIT - 1)), "");
  return bytes;
}

/* Creates the header with its size, and checks it as its reader will: two tensors of one name are an error. The caller
 * frees `*text`, also after an error. */
static attn_code make_header(char **text, size_t *bytes, const attn_model *model, const char *path,
                             attn_status *status) {
  FILE *out = open_memstream(text, bytes);
  int64_t data_bytes = out ? write_header(out, model) : -1;
  int has_failed = data_bytes < 0 || ferror(out);
  if ((out && fclose(out) != 0) || has_failed)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory to write its header", path);
  for (int i = 0; i < 8; ++i)
    (*text)[i] = (char)((uint64_t)(*bytes - 8) >> (8 * i));
  attn_header header;
  ATTN_TRY(attn_header_parse(path, *text + 8, *bytes - 8, (uint64_t)data_bytes, &header, status));
  attn_header_free(&header);
  return ATTN_OK;
}

/* Writes the file; returns 0 or an errno. */
static int write_file(attn_replacement *file, const char *header, size_t header_bytes, const attn_weights *weights) {
  const attn_model *model = weights->model;
  int fault = attn_replacement_write(file, header, header_bytes);
  for (int64_t i = 0; !fault && i < model->packed_count; ++i)
    fault = attn_replacement_write(file, weights->table[model->loaded_count + i], (size_t)model->packed[i].bytes);
  for (int64_t p = 0; p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    int64_t end = parameter->first + attn_entries(parameter);
    for (int64_t i = parameter->first; !fault && attn_is_packed_value(parameter) && i < end; ++i)
      fault = attn_replacement_write(file, weights->table[i], attn_parameter_bytes(parameter));
  }
  return fault;
}

ATTN_PUBLIC attn_code attn_weights_save_packed(const attn_weights *weights, const char *path, attn_status *status) {
  ATTN_TRY(attn_check_pointer(weights, "the attn_weights", status));
  ATTN_TRY(attn_check_pointer(path, "the path of the file to save to", status));
  if (weights->stale)
    return attn_fail(status, ATTN_BAD_WEIGHTS, "%s: the parameters have changed since they were packed "
                     "(attn_weights_repack)", weights->model->name);
  char *header = 0;
  size_t header_bytes = 0;
  attn_code code = make_header(&header, &header_bytes, weights->model, path, status);
  attn_replacement file;
  int fault = code == ATTN_OK ? attn_replacement_begin(&file, path) : 0;
  if (code == ATTN_OK && !fault) {
    fault = write_file(&file, header, header_bytes, weights);
    if (fault)
      attn_replacement_abandon(&file);
    else
      fault = attn_replacement_commit(&file);
  }
  free(header);
  if (fault)
    return attn_fail(status, ATTN_BAD_FILE, "%.300s: cannot be written: %s", path, strerror(fault));
  return code == ATTN_OK ? attn_succeed(status) : code;
}
