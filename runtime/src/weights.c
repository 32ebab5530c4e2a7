#include "attn/weights.h"
#include "attn/memory.h"
#include "attn/random.h"
#include "attn/threads.h"
#include "internal.h"
#include "weights_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sizes and names ------------------------------------------------------------------------------------------------- */

static int64_t product(const int64_t *sizes, int32_t rank) {
  int64_t result = 1;
  for (int32_t i = 0; i < rank; ++i)
    result *= sizes[i];
  return result;
}

int64_t attn_entries(const attn_parameter_info *parameter) { return product(parameter->counts, parameter->list_rank); }

int64_t attn_parameter_elements(const attn_parameter_info *parameter) {
  return product(parameter->shape, parameter->rank);
}

size_t attn_parameter_bytes(const attn_parameter_info *parameter) {
  return (size_t)attn_parameter_elements(parameter) * (size_t)attn_element_bytes(parameter->dtype);
}

static size_t aligned(size_t bytes) { return (bytes + ATTN_ALIGNMENT - 1) / ATTN_ALIGNMENT * ATTN_ALIGNMENT; }

/* Reads the number at *at; negative if there is none. */
static int64_t read_number(const char **at) {
  int64_t number = **at >= '0' && **at <= '9' ? 0 : -1;
  for (; **at >= '0' && **at <= '9' && number < INT32_MAX; ++*at)
    number = number * 10 + (**at - '0');
  return number;
}

/* Returns the text after the placeholder at `at`, and its value for an entry in `value`; null for other text. */
static const char *read_placeholder(const attn_parameter_info *parameter, const char *at, int64_t entry,
                                    int64_t *value) {
  *value = 0;
  do {
    int is_constant = at[1] == '#';
    at += 1 + is_constant;
    int64_t number = read_number(&at), inner = parameter->list_rank - number - 1;
    int64_t factor = *at == '*' && ++at ? read_number(&at) : 1;
    if (number < 0 || factor < 0 || (!is_constant && inner < 0))
      return 0;
    if (!is_constant)
      number = entry / product(parameter->counts + number + 1, (int32_t)inner) % parameter->counts[number];
    *value = (int64_t)((uint64_t)*value + (uint64_t)number * (uint64_t)factor);
  } while (*at == '+');
  return *at == '}' ? at + 1 : 0;
}

ATTN_PUBLIC int attn_parameter_name(const attn_parameter_info *parameter, int64_t entry, char *buffer, size_t size) {
  size_t length = 0;
  size = buffer ? size : 0;
  for (const char *at = parameter ? parameter->checkpoint : ""; *at;) {
    char text[24] = {*at};
    int64_t value;
    const char *end = *at == '{' ? read_placeholder(parameter, at, entry, &value) : 0;
    if (end)
      snprintf(text, sizeof text, "%" PRId64, value);
    for (const char *c = text; *c; ++c, ++length)
      if (length + 1 < size)
        buffer[length] = *c;
    at = end ? end : at + 1;
  }
  if (size)
    buffer[length < size ? length : size - 1] = 0;
  return parameter ? (int)length : -1;
}

size_t attn_name_bytes(const attn_model *model) {
  int most = 0;
  for (int64_t p = 0; p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    /* The last entry has the longest name, because its numbers are the largest. */
    int64_t count = attn_entries(parameter);
    int length = count > 0 ? attn_parameter_name(parameter, count - 1, 0, 0) : 0;
    most = length > most ? length : most;
  }
  return (size_t)most + 1;
}

/* Memory and packing ---------------------------------------------------------------------------------------------- */

int attn_is_stored(const attn_weights *weights, const attn_parameter_info *parameter) {
  return parameter->state ? weights->trainable : weights->keeps_values || !parameter->unread;
}

attn_code attn_reserve_values(attn_weights *weights, const char *source, attn_status *status) {
  const attn_model *model = weights->model;
  const attn_parameter_info *end = model->parameters + model->parameter_count;
  for (const attn_parameter_info *each = model->parameters; each < end; ++each)
    if (attn_is_stored(weights, each))
      weights->values_bytes += (size_t)attn_entries(each) * aligned(attn_parameter_bytes(each));
  char *place = weights->values = attn_memory_allocate(weights->values_bytes);
  if (!place)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for %zu bytes of weights", source, weights->values_bytes);
  for (const attn_parameter_info *each = model->parameters; each < end; ++each)
    for (int64_t entry = 0; attn_is_stored(weights, each) && entry < attn_entries(each); ++entry) {
      weights->table[each->first + entry] = place;
      place += aligned(attn_parameter_bytes(each));
    }
  return ATTN_OK;
}

attn_code attn_reserve_packed(attn_weights *weights, attn_status *status) {
  const attn_model *model = weights->model;
  if (!model->prepare)
    return ATTN_OK;
  for (int64_t i = 0; i < model->packed_count; ++i)
    weights->packed_bytes += aligned((size_t)model->packed[i].bytes);
  char *place = weights->packed = attn_memory_allocate(weights->packed_bytes);
  if (!place)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for %zu bytes of packed weights", model->name,
                     weights->packed_bytes);
  for (int64_t i = 0; i < model->packed_count; ++i) {
    weights->table[model->loaded_count + i] = place;
    place += aligned((size_t)model->packed[i].bytes);
  }
  return ATTN_OK;
}

attn_code attn_fill_packed(attn_weights *weights, const attn_executor *executor, attn_status *status) {
  const attn_model *model = weights->model;
  ++weights->packings;
  if (weights->packed) {
    int64_t arena_bytes = model->prepare_arena_bytes ? model->prepare_arena_bytes(0, executor->workers) : 0;
    void *arena = attn_memory_allocate((size_t)arena_bytes);
    if (!arena)
      return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for %lld bytes to pack weights", model->name,
                       (long long)arena_bytes);
    attn_frame frame = {0, 0, weights->table, arena, executor};
    attn_code code = (attn_code)model->prepare(&frame);
    attn_memory_free(arena, (size_t)arena_bytes);
    if (code != ATTN_OK)
      return attn_fail(status, code, "%s: packing the weights failed: %s", model->name, attn_code_name(code));
  }
  weights->stale = 0;
  return attn_succeed(status);
}

/* Runs a launch of `prepare` unless its value was freed. The first buffer of a launch is the value that it packs. */
static void run_unless_freed(void *self, attn_kernel_fn kernel, const attn_kernel_args *args, int64_t chunks,
                             char *scratch, int64_t scratch_stride) {
  const attn_executor *executor = self;
  if (args->buffers[0])
    executor->parallel_for(executor->self, kernel, args, chunks, scratch, scratch_stride);
}

ATTN_PUBLIC attn_code attn_weights_repack(attn_weights *weights, const attn_executor *executor, attn_status *status) {
  ATTN_TRY(attn_check_pointer(weights, "the attn_weights", status));
  ATTN_TRY(attn_check_executor(executor, weights->model->name, status));
  if (!executor)
    executor = attn_serial_executor();
  attn_executor filter = {run_unless_freed, (void *)executor, executor->workers};
  return attn_fill_packed(weights, &filter, status);
}

/* Creation and access --------------------------------------------------------------------------------------------- */

attn_code attn_weights_create(const attn_model *model, const attn_executor *executor, attn_weights **out,
                              attn_status *status) {
  ATTN_TRY(attn_check_pointer(out, "the place for the weights", status));
  *out = 0;
  ATTN_TRY(attn_check_model(model, status));
  ATTN_TRY(attn_check_executor(executor, model->name, status));
  size_t table_bytes = (size_t)(model->loaded_count + model->packed_count) * sizeof(void *);
  attn_weights *weights = calloc(1, sizeof *weights + table_bytes);
  if (!weights)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for its parameter table", model->name);
  weights->model = model;
  weights->table = (const void **)(weights + 1);
  *out = weights;
  return ATTN_OK;
}

ATTN_PUBLIC void attn_weights_free(attn_weights *weights) {
  if (!weights)
    return;
  attn_memory_free(weights->values, weights->values_bytes);
  attn_memory_free(weights->packed, weights->packed_bytes);
  free(weights);
}

/* Packs the weights unless `code` is an error; frees them after an error. */
static attn_code finish(attn_weights **weights, attn_code code, const attn_executor *executor, attn_status *status) {
  if (code == ATTN_OK && (code = attn_reserve_packed(*weights, status)) == ATTN_OK)
    code = attn_fill_packed(*weights, executor ? executor : attn_serial_executor(), status);
  if (code != ATTN_OK) {
    attn_weights_free(*weights);
    *weights = 0;
  }
  return code;
}

ATTN_PUBLIC const attn_model *attn_weights_model(const attn_weights *weights) { return weights ? weights->model : 0; }
ATTN_PUBLIC const void *const *attn_weights_table(const attn_weights *weights) { return weights ? weights->table : 0; }
int attn_weights_are_trainable(const attn_weights *weights) { return weights->trainable; }
int64_t attn_weights_packings(const attn_weights *weights) { return weights->packings; }
int attn_weights_are_stale(const attn_weights *weights) { return weights->stale; }
void attn_weights_set_stale(attn_weights *weights) { weights->stale = weights->packed != 0; }

/* Random, embedded and borrowed values ---------------------------------------------------------------------------- */

enum { DRAWS_PER_CHUNK = 1 << 14 };

struct draw {
  const attn_parameter_info *parameter;
  void *values; /* of one entry */
  int64_t count;
  uint64_t seed, stream;
};

static void draw_chunk(const attn_kernel_args *args, int64_t chunk, void *scratch) {
  const struct draw *draw = args->buffers[0];
  const attn_parameter_info *parameter = draw->parameter;
  (void)scratch;
  int64_t end = (chunk + 1) * DRAWS_PER_CHUNK < draw->count ? (chunk + 1) * DRAWS_PER_CHUNK : draw->count;
  for (int64_t i = chunk * DRAWS_PER_CHUNK; i < end; ++i) {
    double value = parameter->init_a;
    if (parameter->init == ATTN_INIT_NORMAL)
      value += parameter->init_b * attn_random_normal(draw->seed, draw->stream, (uint64_t)i);
    else if (parameter->init == ATTN_INIT_UNIFORM)
      value += (parameter->init_b - value) * attn_random_uniform(draw->seed, draw->stream, (uint64_t)i);
    switch ((attn_dtype)parameter->dtype) {
    case ATTN_F32: ((float *)draw->values)[i] = (float)value; break;
    case ATTN_I32: ((int32_t *)draw->values)[i] = (int32_t)value; break;
    case ATTN_BOOL: ((char *)draw->values)[i] = value != 0; break;
    case ATTN_BF16: case ATTN_F16: case ATTN_PACKED_WEIGHT: break; /* no parameter has these types */
    }
  }
}

/* Returns the FNV-1a hash of a name: the stream of a parameter, which thus does not depend on other parameters. */
static uint64_t hash_name(const char *name) {
  uint64_t hash = 0xcbf29ce484222325u;
  for (; *name; ++name)
    hash = (hash ^ (unsigned char)*name) * 0x100000001b3u;
  return hash;
}

static attn_code draw_values(attn_weights *weights, uint64_t seed, const attn_executor *executor, attn_status *status) {
  const attn_model *model = weights->model;
  ATTN_TRY(attn_reserve_values(weights, model->name, status));
  size_t name_bytes = attn_name_bytes(model);
  char *name = malloc(name_bytes);
  if (!name)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for names of weights", model->name);
  for (int64_t p = 0; p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    for (int64_t entry = 0; entry < attn_entries(parameter); ++entry) {
      attn_parameter_name(parameter, entry, name, name_bytes);
      struct draw draw = {parameter, (void *)weights->table[parameter->first + entry],
                          attn_parameter_elements(parameter), seed, hash_name(name)};
      void *buffers[] = {&draw};
      attn_kernel_args args = {buffers, 0, 0, 0};
      int64_t chunks = (draw.count + DRAWS_PER_CHUNK - 1) / DRAWS_PER_CHUNK;
      executor->parallel_for(executor->self, draw_chunk, &args, chunks, 0, 0);
    }
  }
  free(name);
  return ATTN_OK;
}

ATTN_PUBLIC attn_code attn_weights_initialise(const attn_model *model, uint64_t seed, const attn_executor *executor,
                                              attn_weights **out, attn_status *status) {
  ATTN_TRY(attn_weights_create(model, executor, out, status));
  (*out)->trainable = (*out)->keeps_values = 1;
  attn_code code = draw_values(*out, seed, executor ? executor : attn_serial_executor(), status);
  return finish(out, code, executor, status);
}

ATTN_PUBLIC attn_code attn_weights_embedded(const attn_model *model, const attn_executor *executor,
                                            attn_weights **out, attn_status *status) {
  ATTN_TRY(attn_weights_create(model, executor, out, status));
  attn_code code = ATTN_OK;
  for (int64_t p = 0; code == ATTN_OK && p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    if (!parameter->state && !parameter->embedded)
      code = attn_fail(status, ATTN_BAD_WEIGHTS, "%s: parameter %s is not in the object (compile with --embed-weights)",
                       model->name, parameter->name);
    for (int64_t entry = 0; !parameter->state && code == ATTN_OK && entry < attn_entries(parameter); ++entry)
      (*out)->table[parameter->first + entry] =
          (const char *)parameter->embedded + (size_t)entry * attn_parameter_bytes(parameter);
  }
  return finish(out, code, executor, status);
}

ATTN_PUBLIC attn_code attn_weights_from_table(const attn_model *model, const void *const *table,
                                              const attn_executor *executor, attn_weights **out, attn_status *status) {
  ATTN_TRY(attn_weights_create(model, executor, out, status));
  attn_code code = ATTN_OK;
  (*out)->trainable = 1;
  for (int64_t p = 0; code == ATTN_OK && p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    for (int64_t i = parameter->first; i < parameter->first + attn_entries(parameter); ++i) {
      (*out)->table[i] = table ? table[i] : 0;
      if (!(*out)->table[i] && !parameter->state)
        code = attn_fail(status, ATTN_BAD_ARGUMENT, "%s: entry %lld of the parameter table is null", model->name,
                         (long long)i);
      (*out)->trainable &= (*out)->table[i] != 0;
    }
  }
  return finish(out, code, executor, status);
}

attn_code attn_check_weights(const attn_model *model, const attn_weights *weights, const char *name,
                             attn_status *status) {
  if (weights ? weights->model == model : model->loaded_count == 0)
    return ATTN_OK;
  return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: %s", name, weights ? "the weights are those of another model"
                                              : "the model has parameters, but there are no weights");
}
