#include "state.h"
#include "weights_record.h"

#include <stdlib.h>

/* Copies the value of an element of the parameter table to `*offset` in the memory of parameters, and adds its bytes to
 * the offset. Only adds if that memory is not yet allocated. */
static cu_result copy_value(attn_cuda *cuda, int64_t element, int64_t bytes, int64_t *offset) {
  const void *from = attn_weights_table(cuda->weights)[element];
  cu_address to = cuda->parameters + (cu_address)*offset;
  if (!from)
    return 0;
  *offset += cuda_align(bytes, CUDA_ALIGNMENT);
  if (!cuda->parameters || bytes == 0)
    return 0;
  cuda->table[element] = (const void *)to;
  return cuda->driver.cuMemcpyHtoDAsync(to, from, (size_t)bytes, cuda->stream);
}

/* Copies the values that kernels read, loaded ones before packed ones; `*total` becomes the number of their bytes. */
static cu_result copy_values(attn_cuda *cuda, int64_t *total) {
  const attn_model *model = cuda->model;
  *total = 0;
  for (int64_t p = 0; p < model->parameter_count; ++p) {
    const attn_parameter_info *parameter = &model->parameters[p];
    int64_t bytes = (int64_t)attn_parameter_bytes(parameter), end = parameter->first + attn_entries(parameter);
    for (int64_t i = parameter->first; !parameter->unread && i < end; ++i)
      ATTN_TRY(copy_value(cuda, i, bytes, total));
  }
  for (int64_t i = 0; i < model->packed_count; ++i)
    ATTN_TRY(copy_value(cuda, model->loaded_count + i, model->packed[i].bytes, total));
  return 0;
}

static attn_code allocate(attn_cuda *cuda, attn_status *status) {
  const attn_model *model = cuda->model;
  cuda->table = calloc((size_t)(model->loaded_count + model->packed_count), sizeof *cuda->table);
  if (!cuda->table)
    return attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for the parameter table", model->name);
  int64_t total;
  cu_address memory = 0;
  copy_values(cuda, &total);
  cu_result error = total > 0 ? cuda->driver.cuMemAlloc(&memory, (size_t)total) : 0;
  ATTN_TRY(cuda_check(cuda, error, "can't allocate memory for the parameters", status));
  cuda->parameters = memory;
  return ATTN_OK;
}

attn_code cuda_copy_parameters(attn_cuda *cuda, attn_status *status) {
  if (cuda->model->loaded_count == 0 || cuda->packings == attn_weights_packings(cuda->weights))
    return ATTN_OK;
  if (!cuda->table)
    ATTN_TRY(allocate(cuda, status));
  int64_t total;
  cu_result error = copy_values(cuda, &total);
  if (!error)
    error = cuda->driver.cuStreamSynchronize(cuda->stream);
  ATTN_TRY(cuda_check(cuda, error, "can't copy the parameters", status));
  cuda->packings = attn_weights_packings(cuda->weights);
  return ATTN_OK;
}
