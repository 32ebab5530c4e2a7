#include "attn/files.h"
#include "attn/memory.h"
#include "attn/safetensors.h"
#include "attn/threads.h"
#include "internal.h"
#include "load.h"
#include "parts.h"
#include "safetensors_header.h"
#include "weights_record.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A load of weights. Values that remain in memory are read first; each of the others is read, packed and freed. */
struct load {
  attn_weights *weights;
  attn_safetensors *file;
  const char *path;
  const attn_file_tensor **tensors; /* of the parts of all entries (parts.h); null if the file is not read */
  int64_t *first;                   /* by element of the parameter table: its first part; one more for the end */
  unsigned char *used;              /* by number of the tensor in the file */
  char *name;                       /* room for the longest name */
  size_t name_bytes;
};

/* Matching parameters with tensors -------------------------------------------------------------------------------- */

static int is_narrow(const attn_file_tensor *tensor) {
  return tensor->dtype == ATTN_FILE_F16 || tensor->dtype == ATTN_FILE_BF16;
}

static int can_read(const attn_parameter_info *parameter, const attn_file_tensor *tensor) {
  int32_t outer = attn_has_parts(parameter); /* dimensions of the parts */
  if (parameter->rank - outer != tensor->rank)
    return 0;
  for (int32_t d = 0; d < tensor->rank; ++d)
    if (parameter->shape[outer + d] != tensor->shape[d])
      return 0;
  switch (parameter->dtype) {
  case ATTN_F32: return tensor->dtype == ATTN_FILE_F32 || is_narrow(tensor);
  case ATTN_I32: return tensor->dtype == ATTN_FILE_I32;
  default: return tensor->dtype == ATTN_FILE_BOOL;
  }
}

/* Returns the file's tensor for a part of an entry of a parameter, or null. */
static const attn_file_tensor *find_tensor(struct load *load, const attn_parameter_info *parameter, int64_t entry,
                                           int64_t part) {
  attn_part_name(parameter, entry, part, load->name, load->name_bytes);
  return attn_safetensors_find(load->file, load->name);
}

static attn_code find_matching(struct load *load, const attn_parameter_info *parameter, int64_t entry, int64_t part,
                               const attn_file_tensor **out, attn_status *status) {
  const attn_file_tensor *tensor = *out = find_tensor(load, parameter, entry, part);
  if (tensor && can_read(parameter, tensor))
    return ATTN_OK;
  int32_t outer = attn_has_parts(parameter);
  attn_text name = attn_shown(load->name), expected = attn_shape(parameter->shape + outer, parameter->rank - outer);
  attn_text in_model = attn_shown(parameter->name);
  const char *expected_type = attn_dtype_file_name(parameter->dtype);
  if (!tensor)
    return attn_fail(status, ATTN_BAD_WEIGHTS, "%s: tensor '%s' is missing, expected %s%s (parameter %s)", load->path,
                     name.text, expected_type, expected.text, in_model.text);
  return attn_fail(status, ATTN_BAD_WEIGHTS, "%s: tensor '%s' is %s%s, expected %s%s (parameter %s)", load->path,
                   name.text, attn_file_dtype_name(tensor->dtype), attn_shape(tensor->shape, tensor->rank).text,
                   expected_type, expected.text, in_model.text);
}

/* Returns 1 for parameters to read: states of training only if the caller trains and the file has an entry of them, and
 * all others. */
static int is_read(struct load *load, const attn_parameter_info *parameter) {
  int is_found = !parameter->state;
  for (int64_t entry = 0; !is_found && load->weights->trainable && entry < attn_entries(parameter); ++entry)
    is_found = find_tensor(load, parameter, entry, 0) != 0;
  return is_found;
}

/* Checks that the file has all states of training or none. */
static attn_code check_states(struct load *load, attn_status *status) {
  const attn_model *model = load->weights->model;
  const attn_parameter_info *missing = 0, *found = 0;
  for (int64_t p = model->parameter_count - 1; p >= 0; --p) /* so that messages name the first ones */
    if (model->parameters[p].state)
      *(is_read(load, &model->parameters[p]) ? &found : &missing) = &model->parameters[p];
  if (load->weights->trainable && missing && found)
    return attn_fail(status, ATTN_BAD_WEIGHTS, "%s: has the state of training '%s' but not '%s', expected all or none",
                     load->path, attn_shown(found->name).text, attn_shown(missing->name).text);
  return ATTN_OK;
}

/* Fills the `tensors` of an entry, and `used`. */
static attn_code match_entry(struct load *load, const attn_parameter_info *parameter, int64_t entry, int is_wanted,
                             attn_status *status) {
  const attn_file_tensor *all = attn_safetensors_at(load->file, 0);
  for (int64_t part = 0; part < attn_part_count(parameter); ++part) {
    const attn_file_tensor **tensor = &load->tensors[load->first[parameter->first + entry] + part];
    if (is_wanted)
      ATTN_TRY(find_matching(load, parameter, entry, part, tensor, status));
    /* A state that is not read is nevertheless a tensor of the model. */
    const attn_file_tensor *known = *tensor ? *tensor : find_tensor(load, parameter, entry, part);
    if (known)
      load->used[known - all] = 1;
  }
  return ATTN_OK;
}

/* Fills `tensors` and checks every tensor of the file. */
static attn_code match_tensors(struct load *load, int32_t flags, attn_status *status) {
  const attn_model *model = load->weights->model;
  for (int64_t p = 0; p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    int is_wanted = is_read(load, parameter);
    for (int64_t entry = 0; entry < attn_entries(parameter); ++entry)
      ATTN_TRY(match_entry(load, parameter, entry, is_wanted, status));
  }
  ATTN_TRY(check_states(load, status));
  for (int64_t i = 0; !(flags & ATTN_ALLOW_EXTRA) && i < attn_safetensors_count(load->file); ++i)
    if (!load->used[i])
      return attn_fail(status, ATTN_BAD_WEIGHTS, "%s: tensor '%s' is not a parameter of %s", load->path,
                       attn_shown(attn_safetensors_at(load->file, i)->name).text, model->name);
  return ATTN_OK;
}

/* Reading values -------------------------------------------------------------------------------------------------- */

static float widen(uint16_t bits, int32_t dtype) {
  uint32_t word = (uint32_t)bits << 16;
  float result;
  if (dtype == ATTN_FILE_F16) {
    uint32_t sign = word & 0x80000000u, magnitude = bits & 0x7FFF;
    if (magnitude < 0x0400) { /* zero or subnormal: an exact multiple of 2^-24 */
      result = (float)magnitude * 0x1p-24f;
      return sign ? -result : result;
    }
    word = sign | ((magnitude << 13) + (magnitude >= 0x7C00 ? 0x70000000u : 0x38000000u));
  }
  memcpy(&result, &word, sizeof result);
  return result;
}

/* Reads a tensor and widens it. Narrow elements are read into the second half of `to` and widened in order, so none is
 * overwritten before it is widened. */
static attn_code read_values(const struct load *load, const attn_file_tensor *tensor, char *to, attn_status *status) {
  char *from = is_narrow(tensor) ? to + tensor->bytes : to;
  ATTN_TRY(attn_safetensors_read(load->file, tensor, 0, tensor->bytes, from, status));
  for (uint64_t i = 0; is_narrow(tensor) && i < tensor->bytes / 2; ++i) {
    uint16_t bits;
    memcpy(&bits, from + 2 * i, sizeof bits);
    float value = widen(bits, tensor->dtype);
    memcpy(to + 4 * i, &value, sizeof value);
  }
  return ATTN_OK;
}

/* Reads the value of element `number` of the parameter table. */
static attn_code read_parts(const struct load *load, int64_t number, char *to, attn_status *status) {
  for (int64_t part = load->first[number]; part < load->first[number + 1]; ++part) {
    const attn_file_tensor *tensor = load->tensors[part];
    ATTN_TRY(read_values(load, tensor, to, status));
    to += tensor->bytes << is_narrow(tensor); /* as f32 */
  }
  return ATTN_OK;
}

/* Writes the initial value of a state of training. */
static void start_state(const attn_parameter_info *parameter, void *to) {
  for (int64_t i = 0; i < attn_parameter_elements(parameter); ++i)
    if (parameter->dtype == ATTN_F32)
      ((float *)to)[i] = (float)parameter->init_a;
    else
      ((int32_t *)to)[i] = (int32_t)parameter->init_a;
}

static attn_code read_stored(struct load *load, attn_status *status) {
  attn_weights *weights = load->weights;
  ATTN_TRY(attn_reserve_values(weights, load->path, status));
  for (int64_t p = 0; p < weights->model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &weights->model->parameters[p];
    if (!attn_is_stored(weights, parameter))
      continue;
    for (int64_t i = parameter->first; i < parameter->first + attn_entries(parameter); ++i)
      if (load->tensors[load->first[i]])
        ATTN_TRY(read_parts(load, i, (char *)weights->table[i], status));
      else
        start_state(parameter, (void *)weights->table[i]);
  }
  return ATTN_OK;
}

/* Packing values that are not stored ------------------------------------------------------------------------------ */

/* A value that is not stored. */
struct unread {
  int64_t number; /* in the parameter table */
  size_t bytes;
};

/* An executor for `prepare` that reads each value from the file before the launch that packs it, into `value`, which
 * has the size of this value. The first buffer of a launch is the value that it packs. For an unread value, the
 * parameter table, and therefore that buffer, has the address of an element of `unread`. */
struct reader {
  const struct load *load;
  const attn_executor *executor;
  char *value;
  size_t value_bytes;
  struct unread *unread, *end; /* an array */
  struct unread *current; /* the one whose value is in memory; null before the first one */
  attn_code code;
  attn_status *status;
};

/* `prepare` packs the largest values first, so the buffer is large only while most packed weights are not written. */
static attn_code read_unread(struct reader *reader, const struct unread *unread) {
  if (!reader->value || reader->value_bytes != unread->bytes) {
    attn_memory_free(reader->value, reader->value_bytes);
    reader->value = attn_memory_allocate(reader->value_bytes = unread->bytes);
  }
  return reader->value ? read_parts(reader->load, unread->number, reader->value, reader->status)
                       : attn_fail(reader->status, ATTN_NO_MEMORY, "%s: no memory for a value of %zu bytes",
                                   reader->load->path, unread->bytes);
}

static void read_and_run(void *self, attn_kernel_fn kernel, const attn_kernel_args *args, int64_t chunks, char *scratch,
                         int64_t scratch_stride) {
  struct reader *reader = self;
  void **buffers = (void **)args->buffers, *first = buffers[0];
  struct unread *unread = first;
  if ((uintptr_t)unread - (uintptr_t)reader->unread < (uintptr_t)reader->end - (uintptr_t)reader->unread) {
    if (unread != reader->current && reader->code == ATTN_OK)
      reader->code = read_unread(reader, unread);
    reader->current = unread;
    buffers[0] = reader->value;
  }
  if (reader->code == ATTN_OK)
    reader->executor->parallel_for(reader->executor->self, kernel, args, chunks, scratch, scratch_stride);
  buffers[0] = first;
}

/* Returns 0 without memory. */
static int open_reader(struct reader *reader) {
  const attn_weights *weights = reader->load->weights;
  reader->end = reader->unread = malloc(((size_t)weights->model->loaded_count + 1) * sizeof *reader->unread);
  if (!reader->unread)
    return 0;
  for (int64_t p = 0; p < weights->model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &weights->model->parameters[p];
    for (int64_t entry = 0; entry < attn_entries(parameter); ++entry) {
      if (parameter->state || attn_is_stored(weights, parameter))
        continue;
      weights->table[parameter->first + entry] = reader->end;
      *reader->end++ = (struct unread){parameter->first + entry, attn_parameter_bytes(parameter)};
    }
  }
  return 1;
}

static void close_reader(struct reader *reader) {
  for (const struct unread *each = reader->unread; each < reader->end; ++each)
    reader->load->weights->table[each->number] = 0;
  attn_memory_free(reader->value, reader->value_bytes);
  free(reader->unread);
}

/* Packs the weights. At any time, memory contains the packed weights, the stored values and one further value. */
static attn_code pack(struct load *load, const attn_executor *executor, attn_status *status) {
  ATTN_TRY(attn_reserve_packed(load->weights, status));
  struct reader reader = {.load = load, .executor = executor ? executor : attn_serial_executor(),
                          .status = status};
  if (!open_reader(&reader))
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory to open it", load->path);
  attn_executor reading = {read_and_run, &reader, reader.executor->workers};
  attn_status packing;
  attn_code code = attn_fill_packed(load->weights, &reading, &packing);
  if (reader.code != ATTN_OK)
    code = reader.code; /* `status` has the message of the failed read */
  else if (status)
    *status = packing;
  close_reader(&reader);
  return code;
}

/* The load -------------------------------------------------------------------------------------------------------- */

/* Allocates `first` and `tensors`; returns 0 without memory. */
static int number_parts(struct load *load) {
  const attn_model *model = load->weights->model;
  load->first = malloc(((size_t)model->loaded_count + 1) * sizeof *load->first);
  if (!load->first)
    return 0;
  int64_t parts = 0, number = 0;
  for (int64_t p = 0; p < model->parameter_count; ++p)
    for (int64_t entry = 0; entry < attn_entries(&model->parameters[p]); ++entry) {
      load->first[number++] = parts;
      parts += attn_part_count(&model->parameters[p]);
    }
  load->first[number] = parts;
  load->tensors = calloc((size_t)parts + 1, sizeof *load->tensors);
  return load->tensors != 0;
}

static attn_code load_all(struct load *load, int32_t flags, const attn_executor *executor, attn_status *status) {
  if (!load->file)
    ATTN_TRY(attn_safetensors_open(load->path, &load->file, status));
  load->used = calloc((size_t)attn_safetensors_count(load->file) + 1, 1);
  load->name_bytes = attn_name_bytes(load->weights->model) + ATTN_PART_DIGITS;
  load->name = malloc(load->name_bytes);
  if (!load->used || !load->name || !number_parts(load))
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory to open it", load->path);
  ATTN_TRY(match_tensors(load, flags, status));
  ATTN_TRY(read_stored(load, status));
  return pack(load, executor, status);
}

attn_code attn_weights_load_open(const attn_model *model, const char *path, attn_safetensors *file, int32_t flags,
                                 const attn_executor *executor, attn_weights **out, attn_status *status) {
  ATTN_TRY(attn_weights_create(model, executor, out, status));
  struct load load = {.weights = *out, .path = path, .file = file};
  load.weights->trainable = (flags & ATTN_TRAINABLE) != 0;
  load.weights->keeps_values = (flags & (ATTN_TRAINABLE | ATTN_KEEP_VALUES)) != 0;
  attn_code code = load_all(&load, flags, executor, status);
  if (!file)
    attn_safetensors_close(load.file);
  free(load.tensors);
  free(load.first);
  free(load.used);
  free(load.name);
  if (code == ATTN_OK)
    return attn_succeed(status);
  attn_weights_free(*out);
  *out = 0;
  return code;
}

ATTN_PUBLIC attn_code attn_weights_load(const attn_model *model, const char *path, int32_t flags,
                                        const attn_executor *executor, attn_weights **out, attn_status *status) {
  return attn_weights_load_open(model, path, 0, flags, executor, out, status);
}
