#include "attn/weights.h"
#include "attn/memory.h"
#include "attn/random.h"
#include "attn/run.h"
#include "attn/safetensors.h"
#include "attn/threads.h"
#include "internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_BYTES = 256, DRAWS_A_CHUNK = 1 << 14 };

struct attn_weights {
  const attn_model *model;
  const void **table;
  attn_safetensors *file;
  char *values; /* values that are neither in the file's mapping nor the caller's */
  size_t values_bytes;
  char *packed;
  size_t packed_bytes;
  int trainable; /* all values, those of states among them, are in `values` */
  int stale;     /* they have changed since they were packed */
  int64_t packings; /* how often they were */
};

static int64_t product(const int64_t *sizes, int32_t rank) {
  int64_t result = 1;
  for (int32_t i = 0; i < rank; ++i)
    result *= sizes[i];
  return result;
}

static size_t aligned(size_t bytes) { return (bytes + ATTN_ALIGNMENT - 1) / ATTN_ALIGNMENT * ATTN_ALIGNMENT; }

static size_t parameter_bytes(const attn_parameter_info *parameter) {
  return (size_t)product(parameter->shape, parameter->rank) * (size_t)attn_element_bytes(parameter->dtype);
}

ATTN_PUBLIC int attn_parameter_name(const attn_parameter_info *parameter, int64_t entry, char *buffer, size_t size) {
  size_t length = 0;
  for (const char *c = parameter->checkpoint; *c;) {
    if (c[0] == '{' && c[1] >= '0' && c[1] < '0' + parameter->list_rank && c[2] == '}') {
      int list = c[1] - '0';
      int64_t inner = product(parameter->counts + list + 1, parameter->list_rank - list - 1);
      char digits[24];
      int count = snprintf(digits, sizeof digits, "%" PRId64, entry / inner % parameter->counts[list]);
      for (int i = 0; i < count; ++i, ++length)
        if (length + 1 < size)
          buffer[length] = digits[i];
      c += 3;
    } else {
      if (length + 1 < size)
        buffer[length] = *c;
      ++length;
      ++c;
    }
  }
  if (size)
    buffer[length < size ? length : size - 1] = 0;
  return (int)length;
}

/* Makes the packed weights from the loaded ones, in memory that is there. */
static attn_code fill_packed(attn_weights *weights, const attn_executor *executor, attn_status *status) {
  const attn_model *model = weights->model;
  ++weights->packings;
  if (!model->prepare) {
    weights->stale = 0;
    return attn_succeed(status);
  }
  if (!executor)
    executor = attn_serial_executor();
  int64_t arena_bytes = model->prepare_arena_bytes ? model->prepare_arena_bytes(0, executor->workers) : 0;
  void *arena = attn_memory_allocate((size_t)arena_bytes);
  if (!arena)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for %lld bytes to pack weights", model->name,
                     (long long)arena_bytes);
  attn_frame frame = {0, 0, weights->table, arena, executor};
  int32_t code = model->prepare(&frame);
  attn_memory_free(arena, (size_t)arena_bytes);
  if (code != ATTN_OK)
    return attn_fail(status, (attn_code)code, "%s: packing the weights failed: %s", model->name,
                     attn_code_name((attn_code)code));
  weights->stale = 0;
  return attn_succeed(status);
}

static attn_code pack(attn_weights *weights, const attn_executor *executor, attn_status *status) {
  const attn_model *model = weights->model;
  if (!model->prepare)
    return attn_succeed(status);
  for (int64_t i = 0; i < model->packed_count; ++i)
    weights->packed_bytes += aligned((size_t)model->packed_bytes[i]);
  weights->packed = attn_memory_allocate(weights->packed_bytes);
  if (!weights->packed)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for %zu bytes of packed weights", model->name,
                     weights->packed_bytes);
  size_t offset = 0;
  for (int64_t i = 0; i < model->packed_count; ++i) {
    weights->table[model->loaded_count + i] = weights->packed + offset;
    offset += aligned((size_t)model->packed_bytes[i]);
  }
  return fill_packed(weights, executor, status);
}

ATTN_PUBLIC attn_code attn_weights_repack(attn_weights *weights, const attn_executor *executor, attn_status *status) {
  return fill_packed(weights, executor, status);
}

int attn_weights_are_trainable(const attn_weights *weights) { return weights->trainable; }
int64_t attn_weights_packings(const attn_weights *weights) { return weights->packings; }
int attn_weights_are_stale(const attn_weights *weights) { return weights->stale; }
void attn_weights_set_stale(attn_weights *weights) { weights->stale = weights->packed != 0; }

static attn_code create(const attn_model *model, attn_weights **out, attn_status *status) {
  *out = 0;
  attn_code code = attn_check_model(model, status);
  if (code != ATTN_OK)
    return code;
  attn_weights *weights = calloc(1, sizeof *weights);
  const void **table = calloc((size_t)(model->loaded_count + model->packed_count + 1), sizeof *table);
  if (!weights || !table) {
    free(weights);
    free(table);
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for its parameter table", model->name);
  }
  weights->model = model;
  weights->table = table;
  *out = weights;
  return ATTN_OK;
}

/* Packs, and gives up the weights where something failed before or fails now. */
static attn_code finish(attn_weights **weights, attn_code code, const attn_executor *executor, attn_status *status) {
  if (code == ATTN_OK)
    code = pack(*weights, executor, status);
  if (code != ATTN_OK) {
    attn_weights_free(*weights);
    *weights = 0;
  }
  return code;
}

static int same_shape(const attn_parameter_info *parameter, const attn_file_tensor *tensor) {
  if (parameter->rank != tensor->rank)
    return 0;
  return tensor->rank == 0 || memcmp(parameter->shape, tensor->shape, (size_t)tensor->rank * sizeof(int64_t)) == 0;
}

static int readable(const attn_parameter_info *parameter, int32_t dtype) {
  switch (parameter->dtype) {
  case ATTN_F32: return dtype == ATTN_FILE_F32 || dtype == ATTN_FILE_F16 || dtype == ATTN_FILE_BF16;
  case ATTN_I32: return dtype == ATTN_FILE_I32;
  default: return dtype == ATTN_FILE_BOOL;
  }
}

static int in_place(const attn_file_tensor *tensor) {
  return tensor->dtype != ATTN_FILE_F16 && tensor->dtype != ATTN_FILE_BF16 && (uintptr_t)tensor->data % 4 == 0;
}

static attn_code find_tensor(const attn_weights *weights, const char *path, const attn_parameter_info *parameter,
                             int64_t entry, const attn_file_tensor **tensor, attn_status *status) {
  static const char *const dtype_names[] = {"F32", "I32", "BOOL"};
  char name[NAME_BYTES], expected[128], found[128];
  attn_parameter_name(parameter, entry, name, sizeof name);
  attn_shape_text(parameter->shape, parameter->rank, expected, sizeof expected);
  *tensor = attn_safetensors_find(weights->file, name);
  if (!*tensor)
    return attn_fail(status, ATTN_BAD_WEIGHTS, "%s: tensor '%s' is missing, expected %s%s (parameter %s)", path, name,
                     dtype_names[parameter->dtype], expected, parameter->name);
  if (!same_shape(parameter, *tensor) || !readable(parameter, (*tensor)->dtype))
    return attn_fail(status, ATTN_BAD_WEIGHTS, "%s: tensor '%s' is %s%s, expected %s%s (parameter %s)", path, name,
                     attn_file_dtype_name((*tensor)->dtype),
                     attn_shape_text((*tensor)->shape, (*tensor)->rank, found, sizeof found),
                     dtype_names[parameter->dtype], expected, parameter->name);
  return ATTN_OK;
}

static float widen(uint16_t bits, int32_t dtype) {
  uint32_t word;
  float result;
  if (dtype == ATTN_FILE_BF16) {
    word = (uint32_t)bits << 16;
  } else {
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16, magnitude = bits & 0x7FFF;
    if (magnitude < 0x0400) { /* zero or subnormal: an exact multiple of 2^-24 */
      result = (float)magnitude * 0x1p-24f;
      return sign ? -result : result;
    }
    word = sign | ((magnitude << 13) + (magnitude >= 0x7C00 ? 0x70000000u : 0x38000000u));
  }
  memcpy(&result, &word, sizeof result);
  return result;
}

static void copy_values(const attn_file_tensor *tensor, char *to) {
  if (tensor->dtype != ATTN_FILE_F16 && tensor->dtype != ATTN_FILE_BF16) {
    memcpy(to, tensor->data, tensor->bytes);
    return;
  }
  const char *from = tensor->data;
  for (uint64_t i = 0; i < tensor->bytes / 2; ++i) {
    uint16_t bits;
    memcpy(&bits, from + 2 * i, sizeof bits);
    float value = widen(bits, tensor->dtype);
    memcpy(to + 4 * i, &value, sizeof value);
  }
}

static attn_code check_extra(const attn_weights *weights, const char *path, const unsigned char *used,
                             attn_status *status) {
  for (int64_t i = 0; i < attn_safetensors_count(weights->file); ++i)
    if (!used[i])
      return attn_fail(status, ATTN_BAD_WEIGHTS, "%s: tensor '%.100s' is no parameter of %s", path,
                       attn_safetensors_at(weights->file, i)->name, weights->model->name);
  return ATTN_OK;
}

/* Whether a parameter is taken from the file: states of training are, where they are wanted and the file has them. */
static int is_read(const attn_weights *weights, const attn_parameter_info *parameter) {
  char name[NAME_BYTES];
  attn_parameter_name(parameter, 0, name, sizeof name);
  return !parameter->state || (weights->trainable && attn_safetensors_find(weights->file, name));
}

/* Training goes on with all states or starts with none. */
static attn_code check_states(const attn_weights *weights, const char *path, attn_status *status) {
  const attn_parameter_info *first[2] = {0, 0};
  for (int64_t p = 0; p < weights->model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &weights->model->parameters[p];
    if (parameter->state && !first[is_read(weights, parameter)])
      first[is_read(weights, parameter)] = parameter;
  }
  if (weights->trainable && first[0] && first[1])
    return attn_fail(status, ATTN_BAD_WEIGHTS, "%s: has the state of training '%s' but not '%s', expected all or none",
                     path, first[1]->name, first[0]->name);
  return ATTN_OK;
}

/* Finds and checks every tensor; those that the model does not read stay null. */
static attn_code find_tensors(attn_weights *weights, const char *path, int32_t flags, const attn_file_tensor **tensors,
                              unsigned char *used, attn_status *status) {
  const attn_model *model = weights->model;
  for (int64_t p = 0; p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    for (int64_t entry = 0; entry < product(parameter->counts, parameter->list_rank); ++entry) {
      const attn_file_tensor **tensor = &tensors[parameter->first + entry];
      char name[NAME_BYTES];
      attn_parameter_name(parameter, entry, name, sizeof name);
      if (parameter->state && (*tensor = attn_safetensors_find(weights->file, name)))
        used[*tensor - attn_safetensors_at(weights->file, 0)] = 1;
      *tensor = 0;
      if (!is_read(weights, parameter))
        continue;
      attn_code code = find_tensor(weights, path, parameter, entry, tensor, status);
      if (code != ATTN_OK)
        return code;
      used[*tensor - attn_safetensors_at(weights->file, 0)] = 1;
    }
  }
  attn_code code = check_states(weights, path, status);
  return code == ATTN_OK && !(flags & ATTN_ALLOW_EXTRA) ? check_extra(weights, path, used, status) : code;
}

/* What a state is before the first step. */
static void start_state(const attn_parameter_info *parameter, char *to) {
  for (int64_t i = 0; i < product(parameter->shape, parameter->rank); ++i)
    if (parameter->dtype == ATTN_F32)
      ((float *)to)[i] = (float)parameter->init_a;
    else
      ((int32_t *)to)[i] = (int32_t)parameter->init_a;
}

/* Reserves memory for the values that can't be used in place and fills the table. */
static attn_code bind_file(attn_weights *weights, const char *path, int32_t flags, const attn_file_tensor **tensors,
                           unsigned char *used, attn_status *status) {
  const attn_model *model = weights->model;
  weights->trainable = (flags & ATTN_TRAINABLE) != 0;
  attn_code code = find_tensors(weights, path, flags, tensors, used, status);
  if (code != ATTN_OK)
    return code;
  char *place = 0;
  for (int fills = 0; fills < 2; ++fills) { /* first the bytes that are wanted, then the values */
    for (int64_t p = 0; p < model->parameter_count; ++p) {
      const attn_parameter_info *parameter = &model->parameters[p];
      for (int64_t entry = 0; entry < product(parameter->counts, parameter->list_rank); ++entry) {
        int64_t slot = parameter->first + entry;
        int is_mapped = !weights->trainable && tensors[slot] && in_place(tensors[slot]);
        if (is_mapped)
          weights->table[slot] = tensors[slot]->data;
        if (is_mapped || (parameter->state && !weights->trainable))
          continue;
        if (!fills) {
          weights->values_bytes += aligned(parameter_bytes(parameter));
          continue;
        }
        weights->table[slot] = place;
        if (tensors[slot])
          copy_values(tensors[slot], place);
        else
          start_state(parameter, place);
        place += aligned(parameter_bytes(parameter));
      }
    }
    if (!fills && weights->values_bytes && !(place = weights->values = attn_memory_allocate(weights->values_bytes)))
      return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for %zu bytes of weights", path, weights->values_bytes);
  }
  return ATTN_OK;
}

ATTN_PUBLIC attn_code attn_weights_load(const attn_model *model, const char *path, int32_t flags,
                                        const attn_executor *executor, attn_weights **out, attn_status *status) {
  attn_code code = create(model, out, status);
  if (code != ATTN_OK)
    return code;
  code = attn_safetensors_open(path, &(*out)->file, status);
  if (code == ATTN_OK) {
    size_t count = (size_t)attn_safetensors_count((*out)->file);
    const attn_file_tensor **tensors = calloc((size_t)model->loaded_count + 1, sizeof *tensors);
    unsigned char *used = calloc(count + 1, 1);
    code = tensors && used ? bind_file(*out, path, flags, tensors, used, status)
                           : attn_fail(status, ATTN_NO_MEMORY, "%s: no memory to open it", path);
    free(tensors);
    free(used);
  }
  return finish(out, code, executor, status);
}

/* One parameter's draws, chunk by chunk. */
struct draw {
  const attn_parameter_info *parameter;
  float *values;
  int64_t count;
  uint64_t seed, stream;
};

static void draw_chunk(const attn_kernel_args *args, int64_t chunk, void *scratch) {
  const struct draw *draw = args->buffers[0];
  const attn_parameter_info *parameter = draw->parameter;
  (void)scratch;
  int64_t end = (chunk + 1) * DRAWS_A_CHUNK < draw->count ? (chunk + 1) * DRAWS_A_CHUNK : draw->count;
  for (int64_t i = chunk * DRAWS_A_CHUNK; i < end; ++i) {
    double value = parameter->init_a;
    if (parameter->init == ATTN_INIT_NORMAL)
      value += parameter->init_b * attn_random_normal(draw->seed, draw->stream, (uint64_t)i);
    else if (parameter->init == ATTN_INIT_UNIFORM)
      value += (parameter->init_b - value) * attn_random_uniform(draw->seed, draw->stream, (uint64_t)i);
    if (parameter->dtype == ATTN_F32)
      draw->values[i] = (float)value;
    else if (parameter->dtype == ATTN_I32)
      ((int32_t *)draw->values)[i] = (int32_t)value;
    else
      ((char *)draw->values)[i] = value != 0;
  }
}

/* FNV-1a: names draw from streams of their own, whatever the order of parameters. */
static uint64_t stream_of(const char *name) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; *name; ++name)
    hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
  return hash;
}

ATTN_PUBLIC attn_code attn_weights_initialise(const attn_model *model, uint64_t seed, const attn_executor *executor,
                                              attn_weights **out, attn_status *status) {
  attn_code code = create(model, out, status);
  if (code != ATTN_OK)
    return code;
  attn_weights *weights = *out;
  weights->trainable = 1;
  if (!executor)
    executor = attn_serial_executor();
  for (int64_t p = 0; p < model->parameter_count; ++p)
    weights->values_bytes += aligned(parameter_bytes(&model->parameters[p])) *
                             (size_t)product(model->parameters[p].counts, model->parameters[p].list_rank);
  char *place = weights->values = attn_memory_allocate(weights->values_bytes);
  if (!place)
    return finish(out, attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for %zu bytes of weights", model->name,
                                 weights->values_bytes), executor, status);
  for (int64_t p = 0; p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    for (int64_t entry = 0; entry < product(parameter->counts, parameter->list_rank); ++entry) {
      char name[NAME_BYTES];
      attn_parameter_name(parameter, entry, name, sizeof name);
      struct draw draw = {parameter, (float *)place, product(parameter->shape, parameter->rank), seed, stream_of(name)};
      void *buffers[] = {&draw};
      attn_kernel_args args = {buffers, 0, 0, 0};
      executor->parallel_for(executor->self, draw_chunk, &args, (draw.count + DRAWS_A_CHUNK - 1) / DRAWS_A_CHUNK, 0, 0);
      weights->table[parameter->first + entry] = place;
      place += aligned(parameter_bytes(parameter));
    }
  }
  return finish(out, ATTN_OK, executor, status);
}

ATTN_PUBLIC attn_code attn_weights_embedded(const attn_model *model, const attn_executor *executor,
                                            attn_weights **out, attn_status *status) {
  attn_code code = create(model, out, status);
  for (int64_t p = 0; code == ATTN_OK && p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    if (parameter->state)
      continue;
    if (!parameter->embedded)
      code = attn_fail(status, ATTN_BAD_WEIGHTS, "%s: parameter %s is not in the object (compile with --embed-weights)",
                       model->name, parameter->name);
    else
      for (int64_t entry = 0; entry < product(parameter->counts, parameter->list_rank); ++entry)
        (*out)->table[parameter->first + entry] =
            (const char *)parameter->embedded + (size_t)entry * parameter_bytes(parameter);
  }
  return *out ? finish(out, code, executor, status) : code;
}

ATTN_PUBLIC attn_code attn_weights_from_table(const attn_model *model, const void *const *table,
                                              const attn_executor *executor, attn_weights **out, attn_status *status) {
  attn_code code = create(model, out, status);
  if (code != ATTN_OK)
    return code;
  (*out)->trainable = 1;
  for (int64_t p = 0; code == ATTN_OK && p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    for (int64_t i = parameter->first; i < parameter->first + product(parameter->counts, parameter->list_rank); ++i) {
      (*out)->table[i] = table ? table[i] : 0;
      if (!(*out)->table[i] && !parameter->state)
        code = attn_fail(status, ATTN_BAD_ARGUMENT, "%s: place %lld of the parameter table is null", model->name,
                         (long long)i);
      if (!(*out)->table[i] && parameter->state)
        (*out)->trainable = 0;
    }
  }
  return finish(out, code, executor, status);
}

ATTN_PUBLIC void attn_weights_free(attn_weights *weights) {
  if (!weights)
    return;
  attn_safetensors_close(weights->file);
  attn_memory_free(weights->values, weights->values_bytes);
  attn_memory_free(weights->packed, weights->packed_bytes);
  free(weights->table);
  free(weights);
}

ATTN_PUBLIC const attn_model *attn_weights_model(const attn_weights *weights) { return weights->model; }

ATTN_PUBLIC const void *const *attn_weights_table(const attn_weights *weights) { return weights->table; }
