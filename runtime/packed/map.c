#define _GNU_SOURCE
#include "attn/packed.h"
#include "format.h"
#include "internal.h"
#include "retry.h"
#include "weights_record.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A mapping has a multiple of these bytes, so that attn_weights_free can unmap it by attn_memory_free; addresses behind
 * the end of the file are never accessed. */
enum { MAPPING_UNIT = 2 << 20 };

struct map {
  attn_weights *weights;
  const char *path;
  attn_safetensors *file;
  const char *data;       /* the first byte behind the header */
  const char *packed_for; /* the description of the model that was packed, as JSON, which ends at a quote */
};

/* Maps a file of *size bytes into weights->values. */
static attn_code map_file(struct map *map, size_t *size, attn_status *status) {
  int descriptor; /* opening a FIFO without a writer would block */
  ATTN_RETRY(descriptor, open(map->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat about;
  void *block = MAP_FAILED;
  size_t bytes = 0;
  if (descriptor >= 0 && fstat(descriptor, &about) == 0) {
    *size = (size_t)about.st_size;
    bytes = (*size / MAPPING_UNIT + 1) * MAPPING_UNIT;
    block = mmap(0, bytes, PROT_READ, MAP_SHARED, descriptor, 0); /* fails for directories and pipes */
  }
  attn_code code = ATTN_OK;
  if (block == MAP_FAILED)
    code = attn_fail(status, ATTN_BAD_FILE, "%s: can't be mapped: %s", map->path, strerror(errno));
  else
    map->weights->values = block, map->weights->values_bytes = bytes;
  if (descriptor >= 0)
    close(descriptor);
  return code;
}

static int begins_like_packed(const char *bytes, size_t size) {
  size_t begin = sizeof ATTN_PACKED_BEGIN - 1;
  return size >= 8 + begin && memcmp(bytes + 8, ATTN_PACKED_BEGIN, begin) == 0;
}

/* Checks the header, and sets the fields of `map`. */
static attn_code open_mapped(struct map *map, size_t size, attn_status *status) {
  const char *bytes = map->weights->values;
  if (!begins_like_packed(bytes, size))
    return attn_fail(status, ATTN_BAD_FILE, "%s: not a file of packed weights, as attnc pack writes it", map->path);
  ATTN_TRY(attn_safetensors_open_memory(map->path, bytes, size, &map->file, status));
  uint64_t header_bytes;
  memcpy(&header_bytes, bytes, sizeof header_bytes);
  map->data = bytes + 8 + header_bytes;
  map->packed_for = bytes + 8 + sizeof ATTN_PACKED_BEGIN; /* behind the quote */
  return ATTN_OK;
}

/* Sets element `number` of the parameter table to the data of a tensor, which have to be aligned. */
static attn_code set_element(struct map *map, int64_t number, const attn_file_tensor *tensor, uintptr_t alignment,
                             attn_status *status) {
  const char *data = map->data + tensor->offset;
  if ((uintptr_t)data % alignment != 0)
    return attn_fail(status, ATTN_BAD_FILE, "%s: tensor '%s' is not at a multiple of %d bytes", map->path,
                     attn_shown(tensor->name).text, (int)alignment);
  map->weights->table[number] = data;
  return ATTN_OK;
}

/* Reports that the file does not have the tensor `name`; `found` is a similar one, or null. */
static attn_code refuse(const struct map *map, const char *name, const attn_file_tensor *found, attn_status *status) {
  const attn_model *model = map->weights->model;
  int length = 0;
  while (length < 100 && map->packed_for + length < map->data && map->packed_for[length] != '"')
    ++length;
  return attn_fail(status, ATTN_BAD_WEIGHTS,
                   "%s: was packed for %.*s, and %s for %s reads '%s', which it lacks%s%s%s; pack the weights for this "
                   "model, target and precision", map->path, length, map->packed_for, model->name, model->target,
                   attn_shown(name).text, found ? "; it has '" : "", found ? attn_shown(found->name).text : "",
                   found ? "'" : "");
}

static attn_code set_packed(struct map *map, attn_status *status) {
  const attn_model *model = map->weights->model;
  attn_code code = ATTN_OK;
  for (int64_t i = 0; code == ATTN_OK && i < model->packed_count; ++i) {
    char *name = attn_packed_name(model, i);
    if (!name)
      return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory to map it", map->path);
    const attn_file_tensor *tensor = attn_safetensors_find(map->file, name), *similar = 0;
    size_t stem = (size_t)(strchr(name, '|') - name) + 1;
    for (int64_t t = 0; !tensor && !similar && t < attn_safetensors_count(map->file); ++t)
      if (strncmp(attn_safetensors_at(map->file, t)->name, name, stem) == 0)
        similar = attn_safetensors_at(map->file, t);
    if (tensor && tensor->bytes == (uint64_t)model->packed[i].bytes)
      code = set_element(map, model->loaded_count + i, tensor, ATTN_ALIGNMENT, status);
    else
      code = refuse(map, name, similar, status);
    free(name);
  }
  return code;
}

static int has_shape(const attn_file_tensor *tensor, const attn_parameter_info *parameter) {
  return tensor->rank == parameter->rank &&
         memcmp(tensor->shape, parameter->shape, (size_t)tensor->rank * sizeof *tensor->shape) == 0 &&
         strcmp(attn_file_dtype_name(tensor->dtype), attn_dtype_file_name(parameter->dtype)) == 0;
}

static attn_code set_values(struct map *map, char *name, size_t name_bytes, attn_status *status) {
  const attn_model *model = map->weights->model;
  for (int64_t p = 0; p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    for (int64_t entry = 0; attn_is_packed_value(parameter) && entry < attn_entries(parameter); ++entry) {
      attn_parameter_name(parameter, entry, name, name_bytes);
      const attn_file_tensor *tensor = attn_safetensors_find(map->file, name);
      if (!tensor)
        return refuse(map, name, 0, status);
      if (!has_shape(tensor, parameter))
        return attn_fail(status, ATTN_BAD_WEIGHTS, "%s: tensor '%s' is %s%s, expected %s%s (parameter %s)", map->path,
                         attn_shown(name).text, attn_file_dtype_name(tensor->dtype),
                         attn_shape(tensor->shape, tensor->rank).text, attn_dtype_file_name(parameter->dtype),
                         attn_shape(parameter->shape, parameter->rank).text, attn_shown(parameter->name).text);
      ATTN_TRY(set_element(map, parameter->first + entry, tensor, (uintptr_t)attn_element_bytes(parameter->dtype),
                           status));
    }
  }
  return ATTN_OK;
}

static attn_code map_weights(struct map *map, attn_status *status) {
  size_t size = 0, name_bytes = attn_name_bytes(map->weights->model);
  ATTN_TRY(map_file(map, &size, status));
  ATTN_TRY(open_mapped(map, size, status));
  ATTN_TRY(set_packed(map, status));
  char *name = malloc(name_bytes);
  attn_code code = name ? set_values(map, name, name_bytes, status)
                        : attn_fail(status, ATTN_NO_MEMORY, "%s: no memory to map it", map->path);
  free(name);
  return code;
}

ATTN_PUBLIC attn_code attn_weights_map(const attn_model *model, const char *path, attn_weights **out,
                                       attn_status *status) {
  ATTN_TRY(attn_weights_create(model, 0, out, status));
  struct map map = {.weights = *out, .path = path};
  attn_code code = attn_check_pointer(path, "the path of a file of packed weights", status);
  if (code == ATTN_OK)
    code = map_weights(&map, status);
  attn_safetensors_close(map.file);
  if (code == ATTN_OK) {
    map.weights->packings = 1;
    return attn_succeed(status);
  }
  attn_weights_free(*out);
  *out = 0;
  return code;
}

ATTN_PUBLIC int attn_is_packed_file(const char *path) {
  char bytes[8 + sizeof ATTN_PACKED_BEGIN];
  int descriptor = -1;
  if (path)
    ATTN_RETRY(descriptor, open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (descriptor < 0)
    return 0;
  ssize_t got;
  ATTN_RETRY(got, pread(descriptor, bytes, sizeof bytes, 0));
  close(descriptor);
  return got > 0 && begins_like_packed(bytes, (size_t)got);
}
