#include "attn/weights.h"
#include "attn/memory.h"
#include "attn/random.h"
#include "attn/run.h"
#include "attn/threads.h"
#include "internal.h"
#include "record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS_A_CHUNK = 1 << 14, MOST_LISTS = 64 };

int64_t attn_product(const int64_t *sizes, int32_t rank) {
  int64_t result = 1;
  for (int32_t i = 0; i < rank; ++i)
    result *= sizes[i];
  return result;
}

int64_t attn_entries(const attn_parameter_info *parameter) {
  return attn_product(parameter->counts, parameter->list_rank);
}

size_t attn_aligned(size_t bytes) { return (bytes + ATTN_ALIGNMENT - 1) / ATTN_ALIGNMENT * ATTN_ALIGNMENT; }

size_t attn_parameter_bytes(const attn_parameter_info *parameter) {
  return (size_t)attn_product(parameter->shape, parameter->rank) * (size_t)attn_element_bytes(parameter->dtype);
}

/* The number of the list that "{12}" at `text` stands for, and in `end` what follows it; or -1. */
static int32_t list_at(const attn_parameter_info *parameter, const char *text, const char **end) {
  int32_t list = 0;
  const char *at = text + 1;
  if (*text != '{' || *at < '0' || *at > '9')
    return -1;
  for (; *at >= '0' && *at <= '9' && list < MOST_LISTS; ++at)
    list = list * 10 + (*at - '0');
  *end = at + 1;
  return *at == '}' && list < parameter->list_rank ? list : -1;
}

ATTN_PUBLIC int attn_parameter_name(const attn_parameter_info *parameter, int64_t entry, char *buffer, size_t size) {
  size_t length = 0;
  size = buffer ? size : 0;
  if (!parameter) {
    if (size)
      buffer[0] = 0;
    return -1;
  }
  for (const char *c = parameter->checkpoint; *c;) {
    char digits[24];
    const char *from = c, *end = c + 1;
    size_t count = 1;
    int32_t list = list_at(parameter, c, &end);
    if (list >= 0) {
      int64_t inner = attn_product(parameter->counts + list + 1, parameter->list_rank - list - 1);
      from = digits;
      count = (size_t)snprintf(digits, sizeof digits, "%" PRId64, entry / inner % parameter->counts[list]);
    } else {
      end = c + 1;
    }
    for (size_t i = 0; i < count; ++i, ++length)
      if (length + 1 < size)
        buffer[length] = from[i];
    c = end;
  }
  if (size)
    buffer[length < size ? length : size - 1] = 0;
  return (int)length;
}

size_t attn_name_bytes(const attn_model *model) {
  size_t most = 0;
  for (int64_t p = 0; p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    if (attn_entries(parameter) == 0)
      continue;
    /* The last entry has the longest name: its numbers are the largest. */
    int length = attn_parameter_name(parameter, attn_entries(parameter) - 1, 0, 0);
    most = (size_t)length > most ? (size_t)length : most;
  }
  return most + 1;
}

attn_code attn_fill_packed(attn_weights *weights, const attn_executor *executor, attn_status *status) {
  const attn_model *model = weights->model;
  ++weights->packings;
  if (!model->prepare) {
    weights->stale = 0;
    return attn_succeed(status);
  }
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

attn_code attn_reserve_packed(attn_weights *weights, attn_status *status) {
  const attn_model *model = weights->model;
  if (!model->prepare)
    return ATTN_OK;
  for (int64_t i = 0; i < model->packed_count; ++i)
    weights->packed_bytes += attn_aligned((size_t)model->packed_bytes[i]);
  weights->packed = attn_memory_allocate(weights->packed_bytes);
  if (!weights->packed)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for %zu bytes of packed weights", model->name,
                     weights->packed_bytes);
  size_t offset = 0;
  for (int64_t i = 0; i < model->packed_count; ++i) {
    weights->table[model->loaded_count + i] = weights->packed + offset;
    offset += attn_aligned((size_t)model->packed_bytes[i]);
  }
  return ATTN_OK;
}

static attn_code pack(attn_weights *weights, const attn_executor *executor, attn_status *status) {
  attn_code code = attn_reserve_packed(weights, status);
  return code == ATTN_OK ? attn_fill_packed(weights, executor ? executor : attn_serial_executor(), status) : code;
}

/* Launches of `prepare` whose value is in memory. The first buffer of a launch is the value that it packs. */
static void run_kept(void *self, attn_kernel_fn kernel, const attn_kernel_args *args, int64_t chunks, char *scratch,
                     int64_t scratch_stride) {
  const attn_executor *executor = self;
  if (args->buffers[0])
    executor->parallel_for(executor->self, kernel, args, chunks, scratch, scratch_stride);
}

ATTN_PUBLIC attn_code attn_weights_repack(attn_weights *weights, const attn_executor *executor, attn_status *status) {
  attn_code code = attn_check_pointer(weights, "the attn_weights", status);
  if (code == ATTN_OK)
    code = attn_check_executor(executor, weights->model->name, status);
  if (code != ATTN_OK)
    return code;
  if (!executor)
    executor = attn_serial_executor();
  /* Values that were given up cannot have changed: their packed forms stay. */
  attn_executor kept = {run_kept, (void *)executor, executor->workers};
  return attn_fill_packed(weights, &kept, status);
}

int attn_weights_are_trainable(const attn_weights *weights) { return weights->trainable; }
int64_t attn_weights_packings(const attn_weights *weights) { return weights->packings; }
int attn_weights_are_stale(const attn_weights *weights) { return weights->stale; }
void attn_weights_set_stale(attn_weights *weights) { weights->stale = weights->packed != 0; }

attn_code attn_weights_create(const attn_model *model, const attn_executor *executor, attn_weights **out,
                              attn_status *status) {
  attn_code code = attn_check_pointer(out, "the place for the weights", status);
  if (code != ATTN_OK)
    return code;
  *out = 0;
  code = attn_check_model(model, status);
  if (code == ATTN_OK)
    code = attn_check_executor(executor, model->name, status);
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
  attn_code code = attn_weights_create(model, executor, out, status);
  if (code != ATTN_OK)
    return code;
  attn_weights *weights = *out;
  weights->trainable = 1;
  if (!executor)
    executor = attn_serial_executor();
  for (int64_t p = 0; p < model->parameter_count; ++p)
    weights->values_bytes += attn_aligned(attn_parameter_bytes(&model->parameters[p])) *
                             (size_t)attn_entries(&model->parameters[p]);
  char *place = weights->values = attn_memory_allocate(weights->values_bytes);
  size_t name_bytes = attn_name_bytes(model);
  char *name = malloc(name_bytes);
  if (!place || !name) {
    free(name);
    return finish(out, attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for %zu bytes of weights", model->name,
                                 weights->values_bytes), executor, status);
  }
  for (int64_t p = 0; p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    for (int64_t entry = 0; entry < attn_entries(parameter); ++entry) {
      attn_parameter_name(parameter, entry, name, name_bytes);
      struct draw draw = {parameter, (float *)place, attn_product(parameter->shape, parameter->rank), seed,
                          stream_of(name)};
      void *buffers[] = {&draw};
      attn_kernel_args args = {buffers, 0, 0, 0};
      executor->parallel_for(executor->self, draw_chunk, &args, (draw.count + DRAWS_A_CHUNK - 1) / DRAWS_A_CHUNK, 0, 0);
      weights->table[parameter->first + entry] = place;
      place += attn_aligned(attn_parameter_bytes(parameter));
    }
  }
  free(name);
  return finish(out, ATTN_OK, executor, status);
}

ATTN_PUBLIC attn_code attn_weights_embedded(const attn_model *model, const attn_executor *executor,
                                            attn_weights **out, attn_status *status) {
  attn_code code = attn_weights_create(model, executor, out, status);
  for (int64_t p = 0; code == ATTN_OK && p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    if (parameter->state)
      continue;
    if (!parameter->embedded)
      code = attn_fail(status, ATTN_BAD_WEIGHTS, "%s: parameter %s is not in the object (compile with --embed-weights)",
                       model->name, parameter->name);
    else
      for (int64_t entry = 0; entry < attn_entries(parameter); ++entry)
        (*out)->table[parameter->first + entry] =
            (const char *)parameter->embedded + (size_t)entry * attn_parameter_bytes(parameter);
  }
  return out && *out ? finish(out, code, executor, status) : code;
}

ATTN_PUBLIC attn_code attn_weights_from_table(const attn_model *model, const void *const *table,
                                              const attn_executor *executor, attn_weights **out, attn_status *status) {
  attn_code code = attn_weights_create(model, executor, out, status);
  if (code != ATTN_OK)
    return code;
  (*out)->trainable = 1;
  for (int64_t p = 0; code == ATTN_OK && p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    for (int64_t i = parameter->first; i < parameter->first + attn_entries(parameter); ++i) {
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
  attn_memory_free(weights->values, weights->values_bytes);
  attn_memory_free(weights->packed, weights->packed_bytes);
  free(weights->table);
  free(weights);
}

ATTN_PUBLIC const attn_model *attn_weights_model(const attn_weights *weights) { return weights ? weights->model : 0; }

ATTN_PUBLIC const void *const *attn_weights_table(const attn_weights *weights) { return weights ? weights->table : 0; }
