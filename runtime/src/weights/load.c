#include "attn/memory.h"
#include "attn/safetensors.h"
#include "attn/threads.h"
#include "attn/weights.h"
#include "internal.h"
#include "record.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A load of weights. Values that kernels read as they are loaded, and all values where they are to be kept, have their
 * places in memory; others are read one by one, packed, and given up. */
struct load {
  attn_weights *weights;
  attn_safetensors *file;
  const char *path;
  const attn_file_tensor **tensors; /* by place of the parameter table; null where none is read */
  unsigned char *used;              /* by number of the file's tensor */
  char *name;                       /* room for the longest of a parameter */
  size_t name_bytes;
  int keeps;
};

static int same_shape(const attn_parameter_info *parameter, const attn_file_tensor *tensor) {
  if (parameter->rank != tensor->rank)
    return 0;
  return tensor->rank == 0 || memcmp(parameter->shape, tensor->shape, (size_t)tensor->rank * sizeof(int64_t)) == 0;
}

static int is_narrow(const attn_file_tensor *tensor) {
  return tensor->dtype == ATTN_FILE_F16 || tensor->dtype == ATTN_FILE_BF16;
}

static int readable(const attn_parameter_info *parameter, const attn_file_tensor *tensor) {
  switch (parameter->dtype) {
  case ATTN_F32: return tensor->dtype == ATTN_FILE_F32 || is_narrow(tensor);
  case ATTN_I32: return tensor->dtype == ATTN_FILE_I32;
  default: return tensor->dtype == ATTN_FILE_BOOL;
  }
}

/* The file's tensor of a parameter's entry, or null. */
static const attn_file_tensor *tensor_of(struct load *load, const attn_parameter_info *parameter, int64_t entry) {
  attn_parameter_name(parameter, entry, load->name, load->name_bytes);
  return attn_safetensors_find(load->file, load->name);
}

static attn_code find_tensor(struct load *load, const attn_parameter_info *parameter, int64_t entry,
                             const attn_file_tensor **tensor, attn_status *status) {
  char expected[ATTN_SHAPE_BYTES], found[ATTN_SHAPE_BYTES];
  attn_shape_text(parameter->shape, parameter->rank, expected, sizeof expected);
  *tensor = tensor_of(load, parameter, entry);
  if (!*tensor)
    return attn_fail(status, ATTN_BAD_WEIGHTS, "%s: tensor '%s' is missing, expected %s%s (parameter %s)", load->path,
                     attn_shown(load->name).text, attn_dtype_file_name(parameter->dtype), expected,
                     attn_shown(parameter->name).text);
  if (!same_shape(parameter, *tensor) || !readable(parameter, *tensor))
    return attn_fail(status, ATTN_BAD_WEIGHTS, "%s: tensor '%s' is %s%s, expected %s%s (parameter %s)", load->path,
                     attn_shown(load->name).text, attn_file_dtype_name((*tensor)->dtype),
                     attn_shape_text((*tensor)->shape, (*tensor)->rank, found, sizeof found),
                     attn_dtype_file_name(parameter->dtype), expected, attn_shown(parameter->name).text);
  return ATTN_OK;
}

static attn_code check_extra(const struct load *load, attn_status *status) {
  for (int64_t i = 0; i < attn_safetensors_count(load->file); ++i)
    if (!load->used[i])
      return attn_fail(status, ATTN_BAD_WEIGHTS, "%s: tensor '%s' is no parameter of %s", load->path,
                       attn_shown(attn_safetensors_at(load->file, i)->name).text, load->weights->model->name);
  return ATTN_OK;
}

/* Whether a parameter is taken from the file: states of training are, where they are wanted and the file has them. */
static int is_read(struct load *load, const attn_parameter_info *parameter) {
  return !parameter->state || (load->weights->trainable && tensor_of(load, parameter, 0));
}

/* Training goes on with all states or starts with none. */
static attn_code check_states(struct load *load, attn_status *status) {
  const attn_parameter_info *first[2] = {0, 0};
  for (int64_t p = 0; p < load->weights->model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &load->weights->model->parameters[p];
    int is = parameter->state && is_read(load, parameter);
    if (parameter->state && !first[is])
      first[is] = parameter;
  }
  if (load->weights->trainable && first[0] && first[1])
    return attn_fail(status, ATTN_BAD_WEIGHTS, "%s: has the state of training '%s' but not '%s', expected all or none",
                     load->path, attn_shown(first[1]->name).text, attn_shown(first[0]->name).text);
  return ATTN_OK;
}

/* Finds and checks every tensor; those that the model does not read stay null. */
static attn_code find_tensors(struct load *load, int32_t flags, attn_status *status) {
  const attn_model *model = load->weights->model;
  const attn_file_tensor *all = attn_safetensors_at(load->file, 0);
  for (int64_t p = 0; p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    int is_wanted = is_read(load, parameter);
    for (int64_t entry = 0; entry < attn_entries(parameter); ++entry) {
      const attn_file_tensor *tensor = 0;
      attn_code code = is_wanted ? find_tensor(load, parameter, entry, &tensor, status) : ATTN_OK;
      if (code != ATTN_OK)
        return code;
      load->tensors[parameter->first + entry] = tensor;
      if (parameter->state) /* it is known, whether or not it is read */
        tensor = tensor_of(load, parameter, entry);
      if (tensor)
        load->used[tensor - all] = 1;
    }
  }
  attn_code code = check_states(load, status);
  return code == ATTN_OK && !(flags & ATTN_ALLOW_EXTRA) ? check_extra(load, status) : code;
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

/* Reads a tensor as kernels want it. Narrow elements are read into the second half of their place: each is widened
 * before what it becomes reaches one that is still to be read. */
static attn_code read_values(const struct load *load, const attn_file_tensor *tensor, char *to, attn_status *status) {
  char *from = is_narrow(tensor) ? to + tensor->bytes : to;
  attn_code code = attn_safetensors_read(load->file, tensor, 0, tensor->bytes, from, status);
  for (uint64_t i = 0; code == ATTN_OK && is_narrow(tensor) && i < tensor->bytes / 2; ++i) {
    uint16_t bits;
    memcpy(&bits, from + 2 * i, sizeof bits);
    float value = widen(bits, tensor->dtype);
    memcpy(to + 4 * i, &value, sizeof value);
  }
  return code;
}

/* What a state is before the first step. */
static void start_state(const attn_parameter_info *parameter, char *to) {
  for (int64_t i = 0; i < attn_product(parameter->shape, parameter->rank); ++i)
    if (parameter->dtype == ATTN_F32)
      ((float *)to)[i] = (float)parameter->init_a;
    else
      ((int32_t *)to)[i] = (int32_t)parameter->init_a;
}

/* Whether a parameter has its places in memory for as long as the weights live. */
static int is_kept(const struct load *load, const attn_parameter_info *parameter) {
  return parameter->state ? load->weights->trainable : load->keeps || !parameter->unread;
}

static attn_code read_kept(struct load *load, attn_status *status) {
  attn_weights *weights = load->weights;
  const attn_model *model = weights->model;
  for (int64_t p = 0; p < model->parameter_count; ++p)
    if (is_kept(load, &model->parameters[p]))
      weights->values_bytes +=
          (size_t)attn_entries(&model->parameters[p]) * attn_aligned(attn_parameter_bytes(&model->parameters[p]));
  if (weights->values_bytes && !(weights->values = attn_memory_allocate(weights->values_bytes)))
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for %zu bytes of weights", load->path,
                     weights->values_bytes);
  char *place = weights->values;
  for (int64_t p = 0; p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    for (int64_t entry = 0; is_kept(load, parameter) && entry < attn_entries(parameter); ++entry) {
      const attn_file_tensor *tensor = load->tensors[parameter->first + entry];
      attn_code code = ATTN_OK;
      if (tensor)
        code = read_values(load, tensor, place, status);
      else
        start_state(parameter, place);
      if (code != ATTN_OK)
        return code;
      weights->table[parameter->first + entry] = place;
      place += attn_aligned(attn_parameter_bytes(parameter));
    }
  }
  return ATTN_OK;
}

/* Packs weights whose values are not in memory. `value` has room for the largest, and each is read there for the launch
 * of `prepare` that packs it. Until then its place in the parameter table is the address of an element of `places`, so
 * that the first buffer of a launch, which is what it packs, tells which value to read. */
struct reader {
  const struct load *load;
  const attn_executor *executor;
  char *value;
  size_t value_bytes;
  int64_t *places; /* of the parameter table */
  int64_t count;
  int64_t current; /* the number of the value that is in memory, or -1 */
  attn_code code;
  attn_status *status;
};

static void read_and_run(void *self, attn_kernel_fn kernel, const attn_kernel_args *args, int64_t chunks, char *scratch,
                         int64_t scratch_stride) {
  struct reader *reader = self;
  void **buffers = (void **)args->buffers, *first = buffers[0];
  uintptr_t number = ((uintptr_t)first - (uintptr_t)reader->places) / sizeof *reader->places;
  if (number < (uintptr_t)reader->count) {
    if ((int64_t)number != reader->current && reader->code == ATTN_OK)
      reader->code = read_values(reader->load, reader->load->tensors[reader->places[number]], reader->value,
                                 reader->status);
    reader->current = (int64_t)number;
    buffers[0] = reader->value;
  }
  if (reader->code == ATTN_OK)
    reader->executor->parallel_for(reader->executor->self, kernel, args, chunks, scratch, scratch_stride);
  buffers[0] = first;
}

/* Makes room for a value, and marks the places of all that are not kept. */
static attn_code open_reader(struct reader *reader) {
  const attn_model *model = reader->load->weights->model;
  reader->places = malloc(((size_t)model->loaded_count + 1) * sizeof *reader->places);
  if (!reader->places)
    return ATTN_NO_MEMORY;
  for (int64_t p = 0; p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    size_t bytes = attn_parameter_bytes(parameter);
    for (int64_t entry = 0; entry < attn_entries(parameter); ++entry) {
      if (parameter->state || is_kept(reader->load, parameter))
        continue;
      reader->value_bytes = bytes > reader->value_bytes ? bytes : reader->value_bytes;
      reader->load->weights->table[parameter->first + entry] = &reader->places[reader->count];
      reader->places[reader->count++] = parameter->first + entry;
    }
  }
  reader->value = attn_memory_allocate(reader->value_bytes);
  return reader->value ? ATTN_OK : ATTN_NO_MEMORY;
}

static void close_reader(struct reader *reader) {
  for (int64_t number = 0; number < reader->count; ++number)
    reader->load->weights->table[reader->places[number]] = 0;
  attn_memory_free(reader->value, reader->value_bytes);
  free(reader->places);
}

/* Packs value by value, so that besides the packed weights there is one value at most that is not kept. */
static attn_code pack_all(struct load *load, const attn_executor *executor, attn_status *status) {
  attn_weights *weights = load->weights;
  attn_code code = attn_reserve_packed(weights, status);
  if (code != ATTN_OK)
    return code;
  struct reader reader = {.load = load, .executor = executor ? executor : attn_serial_executor(), .current = -1,
                          .status = status};
  code = open_reader(&reader);
  if (code == ATTN_OK) {
    attn_executor reading = {read_and_run, &reader, reader.executor->workers};
    attn_status packing;
    code = attn_fill_packed(weights, &reading, &packing);
    if (reader.code != ATTN_OK)
      code = reader.code; /* the status has its message */
    else if (status)
      *status = packing;
  } else {
    attn_fail(status, code, "%s: no memory for a value of %zu bytes, to pack it", load->path, reader.value_bytes);
  }
  close_reader(&reader);
  return code;
}

static attn_code load_all(struct load *load, int32_t flags, const attn_executor *executor, attn_status *status) {
  const attn_model *model = load->weights->model;
  load->tensors = calloc((size_t)model->loaded_count + 1, sizeof *load->tensors);
  load->used = calloc((size_t)attn_safetensors_count(load->file) + 1, 1);
  load->name_bytes = attn_name_bytes(model);
  load->name = malloc(load->name_bytes);
  if (!load->tensors || !load->used || !load->name)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory to open it", load->path);
  attn_code code = find_tensors(load, flags, status);
  if (code == ATTN_OK)
    code = read_kept(load, status);
  return code == ATTN_OK ? pack_all(load, executor, status) : code;
}

ATTN_PUBLIC attn_code attn_weights_load(const attn_model *model, const char *path, int32_t flags,
                                        const attn_executor *executor, attn_weights **out, attn_status *status) {
  attn_code code = attn_weights_create(model, executor, out, status);
  if (code != ATTN_OK)
    return code;
  struct load load = {.weights = *out, .path = path, .keeps = (flags & (ATTN_TRAINABLE | ATTN_KEEP_VALUES)) != 0};
  load.weights->trainable = (flags & ATTN_TRAINABLE) != 0;
  code = attn_safetensors_open(path, &load.file, status);
  if (code == ATTN_OK)
    code = load_all(&load, flags, executor, status);
  attn_safetensors_close(load.file);
  free(load.tensors);
  free(load.used);
  free(load.name);
  if (code == ATTN_OK)
    return attn_succeed(status);
  attn_weights_free(*out);
  *out = 0;
  return code;
}
