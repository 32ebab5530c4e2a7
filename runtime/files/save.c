#define _GNU_SOURCE
#include "attn/files.h"
#include "internal.h"
#include "json.h"
#include "parts.h"
#include "replacement.h"
#include "safetensors_header.h"
#include "weights_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_saved(const attn_parameter_info *parameter, int32_t flags) {
  return !parameter->state || (flags & ATTN_SAVE_STATES);
}

static attn_code check_values(const attn_weights *weights, int32_t flags, attn_status *status) {
  const attn_model *model = weights->model;
  for (int64_t p = 0; p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    for (int64_t entry = 0; is_saved(parameter, flags) && entry < attn_entries(parameter); ++entry)
      if (!weights->table[parameter->first + entry])
        return attn_fail(
            status, ATTN_BAD_WEIGHTS,
            "%s: the values of %s are in memory only as packed weights; to save them, load them with ATTN_KEEP_VALUES",
            model->name, attn_shown(parameter->name).text);
  }
  return ATTN_OK;
}

/* The header ------------------------------------------------------------------------------------------------------ */

/* Names of tensors, `bytes` for each, in the order of the parameter table. */
struct names {
  char *all;
  size_t bytes, count;
};

static int compare_names(const void *a, const void *b) { return strcmp(a, b); }

/* Checks that names are distinct and none is the key of the metadata. Sorts the names. */
static attn_code check_names(struct names *names, const attn_model *model, const char *path, attn_status *status) {
  qsort(names->all, names->count, names->bytes, compare_names);
  for (size_t i = 0; i < names->count; ++i) {
    const char *name = names->all + i * names->bytes;
    if (strcmp(name, ATTN_METADATA) == 0)
      return attn_fail(status, ATTN_BAD_WEIGHTS, "%s: not written: a parameter of %s has the name \"" ATTN_METADATA
                       "\", which the file format reserves; rename it in the model", path, model->name);
    if (i > 0 && strcmp(name - names->bytes, name) == 0)
      return attn_fail(status, ATTN_BAD_WEIGHTS, "%s: not written: two parameters of %s have the name \"%s\"", path,
                       model->name, attn_shown(name).text);
  }
  return ATTN_OK;
}

/* Writes the description of a part of a parameter; returns the offset after its data. */
static int64_t write_part(FILE *out, const char *name, const attn_parameter_info *parameter, int64_t offset) {
  int32_t outer = attn_has_parts(parameter);
  int64_t bytes = (int64_t)attn_parameter_bytes(parameter) / attn_part_count(parameter);
  putc(',', out);
  return attn_header_write(out, name, attn_dtype_file_name(parameter->dtype), parameter->shape + outer,
                           parameter->rank - outer, offset, bytes);
}

/* Writes the header and, in the same order, the names. */
static void write_header(FILE *out, struct names *names, const attn_model *model, int32_t flags) {
  int64_t offset = 0;
  fputs("{\"" ATTN_METADATA "\":{\"attnc.object\":", out);
  attn_json_write_string(out, model->identity ? model->identity : "");
  putc('}', out);
  for (int64_t p = 0; p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    for (int64_t entry = 0; is_saved(parameter, flags) && entry < attn_entries(parameter); ++entry)
      for (int64_t part = 0; part < attn_part_count(parameter); ++part) {
        char *name = names->all + names->bytes * names->count++;
        attn_part_name(parameter, entry, part, name, names->bytes);
        offset = write_part(out, name, parameter, offset);
      }
  }
  putc('}', out);
  fprintf(out, "%*s", (int)(-ftell(out) & 7), ""); /* the data begin at a multiple of 8 bytes */
}

static size_t parts_of(const attn_model *model) {
  int64_t parts = 1; /* one more than there are, also without parameters */
  for (int64_t p = 0; p < model->parameter_count; ++p)
    parts += attn_entries(&model->parameters[p]) * attn_part_count(&model->parameters[p]);
  return (size_t)parts;
}

/* Creates the header. The caller frees `*text`, also after an error. */
static attn_code make_header(char **text, size_t *bytes, const attn_model *model, const char *path, int32_t flags,
                             attn_status *status) {
  struct names names = {.bytes = attn_name_bytes(model) + ATTN_PART_DIGITS};
  names.all = calloc(parts_of(model), names.bytes);
  FILE *out = names.all ? open_memstream(text, bytes) : 0;
  if (out)
    write_header(out, &names, model, flags);
  int has_failed = !out || ferror(out);
  if ((out && fclose(out) != 0) || has_failed) {
    free(names.all);
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory to write its header", path);
  }
  attn_code code = check_names(&names, model, path, status);
  free(names.all);
  return code;
}

/* The file -------------------------------------------------------------------------------------------------------- */

/* The functions below return 0 or an errno. */
static int write_file(attn_replacement *file, const char *header, size_t header_bytes, const attn_weights *weights,
                      int32_t flags) {
  const attn_model *model = weights->model;
  unsigned char size[8];
  for (int i = 0; i < 8; ++i)
    size[i] = (unsigned char)((uint64_t)header_bytes >> (8 * i));
  int fault = attn_replacement_write(file, size, sizeof size);
  if (!fault)
    fault = attn_replacement_write(file, header, header_bytes);
  for (int64_t p = 0; !fault && p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    for (int64_t entry = 0; !fault && is_saved(parameter, flags) && entry < attn_entries(parameter); ++entry)
      fault = attn_replacement_write(file, weights->table[parameter->first + entry], attn_parameter_bytes(parameter));
  }
  return fault;
}

static int replace_file(const char *path, const char *header, size_t header_bytes, const attn_weights *weights,
                        int32_t flags) {
  attn_replacement replacement;
  int fault = attn_replacement_begin(&replacement, path);
  if (fault)
    return fault;
  fault = write_file(&replacement, header, header_bytes, weights, flags);
  if (!fault)
    return attn_replacement_commit(&replacement);
  attn_replacement_abandon(&replacement);
  return fault;
}

ATTN_PUBLIC attn_code attn_weights_save(const attn_weights *weights, const char *path, int32_t flags,
                                        attn_status *status) {
  ATTN_TRY(attn_check_pointer(weights, "the attn_weights", status));
  ATTN_TRY(attn_check_pointer(path, "the path of the file to save to", status));
  if ((flags & ATTN_SAVE_STATES) && !weights->trainable)
    return attn_fail(status, ATTN_BAD_WEIGHTS, "%s: these weights have no states of training to save",
                     weights->model->name);
  ATTN_TRY(check_values(weights, flags, status));
  char *header = 0;
  size_t header_bytes = 0;
  attn_code code = make_header(&header, &header_bytes, weights->model, path, flags, status);
  int fault = code == ATTN_OK ? replace_file(path, header, header_bytes, weights, flags) : 0;
  free(header);
  if (fault)
    return attn_fail(status, ATTN_BAD_FILE, "%.300s: cannot be written: %s", path, strerror(fault));
  return code == ATTN_OK ? attn_succeed(status) : code;
}
