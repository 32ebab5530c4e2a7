#include "attn/run.h"
#include "attn/threads.h"
#include "internal.h"

#include <string.h>

ATTN_PUBLIC int64_t attn_find_entry(const attn_model *model, const char *name) {
  if (!model || !name || model->abi_version != ATTN_ABI_VERSION)
    return -1;
  for (int64_t i = 0; i < model->entry_count; ++i)
    if (strcmp(model->entries[i].name, name) == 0)
      return i;
  return -1;
}

/* The product of the factors and quotients of a term; INT64_MAX if it exceeds 64 bits or has unknown dimensions. */
static int64_t product_of(const attn_size_term *term, const int64_t *dimensions) {
  int64_t product = 1;
  for (int32_t i = 0; i < term->factor_count; ++i)
    product = dimensions ? attn_multiply(product, dimensions[term->factors[i]]) : INT64_MAX;
  for (int32_t i = 0; i < term->quotient_count; ++i) {
    int64_t dividend = attn_size(&term->quotients[i].dividend, dimensions);
    product = attn_multiply(product, dividend == INT64_MAX ? dividend : dividend / term->quotients[i].divisor);
  }
  return product;
}

ATTN_PUBLIC int64_t attn_size(const attn_size_info *size, const int64_t *dimensions) {
  int64_t sum = 0, value;
  for (int64_t i = 0; size && i < size->term_count; ++i) {
    int64_t product = product_of(&size->terms[i], dimensions);
    if (product == INT64_MAX || __builtin_mul_overflow(size->terms[i].coefficient, product, &value) ||
        __builtin_add_overflow(sum, value, &sum))
      return INT64_MAX;
  }
  return size ? sum : INT64_MAX;
}

/* Returns the number of the dimension n if the size is a*n + b with a > 0, and -1 for other sizes. `*value`, a value of
 * the size, becomes that of n, rounded towards zero. */
static int64_t solve_size(const attn_size_info *size, int64_t *value) {
  const attn_size_term *first = size->terms, *last = first + (size->term_count == 2);
  int64_t offset = last == first ? 0 : last->coefficient;
  if (size->term_count < 1 || size->term_count > 2 || first->factor_count != 1 || first->quotient_count != 0 ||
      first->coefficient <= 0 || (last != first && last->factor_count + last->quotient_count > 0))
    return -1;
  *value = (*value - offset) / first->coefficient;
  return first->factors[0];
}

ATTN_PUBLIC int64_t attn_size_dimension(const attn_size_info *size) {
  int64_t value = 0;
  return size && size->term_count == 1 && size->terms[0].coefficient == 1 ? solve_size(size, &value) : -1;
}

/* Reads the dimensions in sizes of this tensor such as `seq` in f32[batch, 2*seq]. An unknown dimension is -1. */
static attn_code bind_dimensions(const attn_entry_info *entry, int32_t number, const attn_tensor *tensor,
                                 int64_t *dimensions, attn_status *status) {
  const attn_tensor_info *info = &entry->tensors[number];
  for (int32_t d = 0; d < info->rank; ++d) {
    int64_t found = tensor->shape[d], named = solve_size(&info->shape[d], &found);
    if (named < 0)
      continue;
    const attn_dimension_info *dimension = &entry->dimensions[named];
    int64_t *value = &dimensions[named];
    if (*value < 0)
      *value = found;
    if (*value != found && found == tensor->shape[d]) /* check_shape reports other sizes, such as 2*seq */
      return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: dimension %d of '%s' is %lld, but `%s` is %lld elsewhere",
                       entry->name, d, info->name, (long long)found, dimension->name, (long long)*value);
    int is_large = dimension->max >= 0 && found > dimension->max;
    if (is_large || found < dimension->min)
      return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: `%s` is %lld (dimension %d of '%s'), expected at %s %lld",
                       entry->name, dimension->name, (long long)found, d, info->name, is_large ? "most" : "least",
                       (long long)(is_large ? dimension->max : dimension->min));
  }
  return ATTN_OK;
}

static attn_code check_shape(const attn_entry_info *entry, int32_t number, const attn_tensor *tensor,
                             const int64_t *dimensions, attn_status *status) {
  const attn_tensor_info *info = &entry->tensors[number];
  int64_t expected[ATTN_MAX_RANK], bytes = attn_tensor_bytes(info->dtype, tensor->shape, info->rank);
  int same = 1;
  for (int32_t d = 0; d < info->rank; ++d) {
    expected[d] = attn_size(&info->shape[d], dimensions);
    same = same && expected[d] == tensor->shape[d];
  }
  if (!same)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: '%s' has shape %s, expected %s", entry->name, info->name,
                     attn_shape(tensor->shape, info->rank).text, attn_shape(expected, info->rank).text);
  if (bytes == INT64_MAX)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: '%s' of shape %s is beyond 64 bits", entry->name, info->name,
                     attn_shape(tensor->shape, info->rank).text);
  return attn_check_data(entry, number, tensor, bytes, status);
}

/* Infers the dimensions from `tensors`, the first `tensor_count` tensors of the entry point. */
static attn_code infer_dimensions(const attn_entry_info *entry, const attn_tensor *tensors, int64_t tensor_count,
                                  int64_t *dimensions, attn_status *status) {
  for (int32_t d = 0; d < entry->dimension_count; ++d)
    dimensions[d] = -1;
  for (int32_t i = 0; i < tensor_count; ++i) {
    ATTN_TRY(attn_check_kind(entry, i, &tensors[i], status));
    ATTN_TRY(bind_dimensions(entry, i, &tensors[i], dimensions, status));
  }
  for (int32_t d = 0; d < entry->dimension_count; ++d)
    if (dimensions[d] < 0)
      return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: no tensor has the size of `%s`", entry->name,
                       entry->dimensions[d].name);
  for (int32_t i = 0; i < tensor_count; ++i)
    ATTN_TRY(check_shape(entry, i, &tensors[i], dimensions, status));
  return attn_succeed(status);
}

ATTN_PUBLIC attn_code attn_infer_dimensions(const attn_model *model, int64_t number, const attn_tensor *tensors,
                                            int64_t tensor_count, int64_t *dimensions, attn_status *status) {
  ATTN_TRY(attn_check_entry(model, number, status));
  const attn_entry_info *entry = &model->entries[number];
  if (tensor_count != 0)
    ATTN_TRY(attn_check_pointer(tensors, "the list of tensors", status));
  if (entry->dimension_count > 0)
    ATTN_TRY(attn_check_pointer(dimensions, "the list of dimensions", status));
  if (tensor_count < 0 || tensor_count > entry->input_count + entry->result_count)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: %lld tensors, expected at most %d inputs and %d results",
                     entry->name, (long long)tensor_count, entry->input_count, entry->result_count);
  return infer_dimensions(entry, tensors, tensor_count, dimensions, status);
}

attn_code attn_check_call(const attn_model *model, int64_t number, const attn_context *context,
                          const attn_tensor *tensors, int64_t tensor_count, attn_status *status) {
  ATTN_TRY(attn_check_entry(model, number, status));
  ATTN_TRY(attn_check_pointer(context, "the context", status));
  if (tensor_count > 0)
    ATTN_TRY(attn_check_pointer(tensors, "the list of tensors", status));
  const attn_entry_info *entry = &model->entries[number];
  const attn_weights *weights = context->weights;
  ATTN_TRY(attn_check_executor(context->executor, entry->name, status));
  if (tensor_count != entry->input_count + entry->result_count)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: %lld tensors, expected %d inputs and %d results", entry->name,
                     (long long)tensor_count, entry->input_count, entry->result_count);
  if (tensor_count > ATTN_MAX_TENSORS || entry->dimension_count > ATTN_MAX_DIMENSIONS)
    return attn_fail(status, ATTN_UNSUPPORTED, "%s: more than %d tensors or %d dimensions", entry->name,
                     ATTN_MAX_TENSORS, ATTN_MAX_DIMENSIONS);
  ATTN_TRY(attn_check_weights(model, weights, entry->name, status));
  if (entry->updates && !(weights && attn_weights_are_trainable(weights)))
    return attn_fail(status, ATTN_BAD_WEIGHTS,
                     "%s: updates parameters, but these weights are not loaded for training (ATTN_TRAINABLE)",
                     entry->name);
  if (!entry->updates && weights && attn_weights_are_stale(weights))
    return attn_fail(status, ATTN_BAD_WEIGHTS,
                     "%s: the parameters have changed since they were packed (attn_weights_repack)", entry->name);
  return ATTN_OK;
}

static attn_code check_arena(const attn_entry_info *entry, const attn_context *context, int64_t needed,
                             attn_status *status) {
  if (needed == 0)
    return ATTN_OK;
  if (needed < 0 || needed == INT64_MAX)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: the arena for these dimensions is beyond 64 bits", entry->name);
  if (!context->arena)
    return attn_fail(status, ATTN_BAD_ARENA, "%s: the arena is a null pointer, expected %lld bytes", entry->name,
                     (long long)needed);
  if (context->arena_bytes < needed)
    return attn_fail(status, ATTN_BAD_ARENA, "%s: the arena has %lld bytes, expected at least %lld", entry->name,
                     (long long)context->arena_bytes, (long long)needed);
  if ((uintptr_t)context->arena % ATTN_ALIGNMENT)
    return attn_fail(status, ATTN_BAD_ARENA, "%s: the arena is not aligned to %d bytes", entry->name, ATTN_ALIGNMENT);
  return ATTN_OK;
}

attn_code attn_report(const attn_model *model, const attn_entry_info *entry, attn_code code, attn_status *status) {
  if (code == ATTN_OUT_OF_RANGE)
    return attn_fail(status, code, "%s: an index that comes from the inputs lies outside its tensor", entry->name);
  if (code == ATTN_FULL)
    return attn_fail(status, code,
                     "%s: the cache is full: it has no room for the positions of this call after those of a row, or a "
                     "length is below 0",
                     entry->name);
  if (code == ATTN_UNSUPPORTED && model->device)
    return attn_fail(status, code,
                     "%s: its kernels are code for %s, and the context's executor runs those of a processor",
                     entry->name, model->device->images[0].target);
  return code == ATTN_OK ? attn_succeed(status) : attn_fail(status, code, "%s: %s", entry->name, attn_code_name(code));
}

ATTN_PUBLIC attn_code attn_run(const attn_model *model, int64_t number, const attn_context *context,
                               const attn_tensor *tensors, int64_t tensor_count, attn_status *status) {
  ATTN_TRY(attn_check_call(model, number, context, tensors, tensor_count, status));
  const attn_entry_info *entry = &model->entries[number];
  const attn_executor *executor = context->executor ? context->executor : attn_serial_executor();
  int64_t dimensions[ATTN_MAX_DIMENSIONS];
  void *data[ATTN_MAX_TENSORS];
  ATTN_TRY(infer_dimensions(entry, tensors, tensor_count, dimensions, status));
  ATTN_TRY(check_arena(entry, context, entry->arena_bytes(dimensions, executor->workers), status));
  for (int64_t i = 0; i < tensor_count; ++i)
    data[i] = tensors[i].data;
  attn_frame frame = {data, dimensions, attn_weights_table(context->weights), context->arena, executor};
  if (entry->updates)
    attn_weights_set_stale(context->weights);
  return attn_report(model, entry, (attn_code)entry->run(&frame), status);
}
