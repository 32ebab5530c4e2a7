/* Memory of the device: that of calls, and that which tensors keep. */
#include "state.h"

#include <stdlib.h>
#include <string.h>

int64_t cuda_tensor_bytes(int32_t dtype, const int64_t *shape, int32_t rank) {
  int64_t bytes = attn_element_bytes(dtype);
  for (int32_t d = 0; d < rank; ++d)
    if (shape[d] == 0)
      return 0;
  for (int32_t d = 0; d < rank; ++d)
    if (__builtin_mul_overflow(bytes, shape[d], &bytes))
      return INT64_MAX;
  return bytes;
}

/* Half as much again as there was, for calls whose tensors grow by a position each. */
static int64_t grown(int64_t bytes, int64_t before) {
  int64_t more = before + before / 2;
  return bytes > more ? bytes : more;
}

cu_result cuda_have_memory(attn_cuda *cuda, int64_t bytes) {
  if (cuda->bytes >= bytes)
    return 0;
  int64_t most = grown(bytes, cuda->bytes);
  if (cuda->memory)
    cuda->driver.cuMemFree(cuda->memory);
  cuda->memory = 0;
  cuda->bytes = 0;
  cu_result error = cuda->driver.cuMemAlloc(&cuda->memory, (size_t)most);
  if (error == CU_OUT_OF_MEMORY && most > bytes) {
    most = bytes;
    error = cuda->driver.cuMemAlloc(&cuda->memory, (size_t)most);
  }
  if (error)
    cuda->memory = 0;
  else
    cuda->bytes = most;
  return error;
}

cu_result cuda_have_staging(attn_cuda *cuda, int64_t bytes) {
  if (cuda->staging_bytes >= bytes)
    return 0;
  bytes = grown(bytes, cuda->staging_bytes);
  if (cuda->staging)
    cuda->driver.cuMemFreeHost(cuda->staging);
  cuda->staging = 0;
  cuda->staging_bytes = 0;
  void *memory = 0;
  cu_result error = cuda->driver.cuMemHostAlloc(&memory, (size_t)bytes, 0);
  if (!error) {
    cuda->staging = memory;
    cuda->staging_bytes = bytes;
  }
  return error;
}

/* Tensors ---------------------------------------------------------------------------------------------------------- */

int cuda_owns(const attn_cuda *cuda, const void *data, int64_t *bytes) {
  cu_address address = (cu_address)(uintptr_t)data;
  for (const struct cuda_buffer *each = cuda->buffers; each; each = each->next)
    if (address >= each->address && address - each->address < (cu_address)each->bytes) {
      *bytes = each->bytes - (int64_t)(address - each->address);
      return 1;
    }
  return 0;
}

void cuda_free_buffers(attn_cuda *cuda) {
  while (cuda->buffers) {
    struct cuda_buffer *next = cuda->buffers->next;
    cuda->driver.cuMemFree(cuda->buffers->address);
    free(cuda->buffers);
    cuda->buffers = next;
  }
}

static attn_code allocate_zeros(attn_cuda *cuda, struct cuda_buffer *buffer, attn_status *status) {
  cu_result error = cuda->driver.cuMemAlloc(&buffer->address, (size_t)buffer->bytes);
  if (error)
    return cuda_fails(cuda, error, "can't have memory for a tensor", status);
  error = cuda->driver.cuMemsetD8Async(buffer->address, 0, (size_t)buffer->bytes, cuda->stream);
  if (!error)
    error = cuda->driver.cuStreamSynchronize(cuda->stream);
  if (!error)
    return attn_succeed(status);
  cuda->driver.cuMemFree(buffer->address);
  return cuda_fails(cuda, error, "can't write a tensor", status);
}

/* Of tensors whose bytes are counted. */
static attn_code check_shape(const attn_tensor *tensor, int64_t *bytes, attn_status *status) {
  if (tensor->rank < 0 || tensor->rank > ATTN_MAX_RANK)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "a tensor of %d dimensions, expected at most %d", tensor->rank,
                     ATTN_MAX_RANK);
  if (!attn_is_tensor_dtype(tensor->dtype))
    return attn_fail(status, ATTN_BAD_ARGUMENT, "a tensor has elements of type %d, expected an attn_dtype of tensors",
                     tensor->dtype);
  for (int32_t d = 0; d < tensor->rank; ++d)
    if (tensor->shape[d] < 0)
      return attn_fail(status, ATTN_BAD_ARGUMENT, "dimension %d of a tensor is %lld, expected no negative size", d,
                       (long long)tensor->shape[d]);
  *bytes = cuda_tensor_bytes(tensor->dtype, tensor->shape, tensor->rank);
  if (*bytes > INT64_MAX - CUDA_ALIGNMENT)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "a tensor is beyond 64 bits");
  return ATTN_OK;
}

static attn_code check_pointers(const attn_cuda *cuda, const attn_tensor *tensor, attn_status *status) {
  attn_code code = attn_check_pointer(cuda, "the attn_cuda", status);
  return code == ATTN_OK ? attn_check_pointer(tensor, "the tensor", status) : code;
}

ATTN_PUBLIC attn_code attn_cuda_allocate(attn_cuda *cuda, attn_tensor *tensor, attn_status *status) {
  int64_t bytes;
  attn_code code = check_pointers(cuda, tensor, status);
  if (code != ATTN_OK)
    return code;
  tensor->data = 0;
  code = check_shape(tensor, &bytes, status);
  if (code != ATTN_OK)
    return code;
  struct cuda_buffer *buffer = malloc(sizeof *buffer);
  if (!buffer)
    return attn_fail(status, ATTN_NO_MEMORY, "no memory for a tensor's record");
  *buffer = (struct cuda_buffer){0, cuda_align(bytes > 0 ? bytes : 1), cuda->buffers};
  code = cuda_enter(cuda, status);
  if (code == ATTN_OK) {
    code = allocate_zeros(cuda, buffer, status);
    cuda_leave(cuda);
  }
  if (code != ATTN_OK) {
    free(buffer);
    return code;
  }
  cuda->buffers = buffer;
  tensor->data = (void *)(uintptr_t)buffer->address;
  return ATTN_OK;
}

ATTN_PUBLIC void attn_cuda_free(attn_cuda *cuda, attn_tensor *tensor) {
  if (!cuda || !tensor)
    return;
  for (struct cuda_buffer **each = &cuda->buffers; *each; each = &(*each)->next) {
    struct cuda_buffer *buffer = *each;
    if (buffer->address != (cu_address)(uintptr_t)tensor->data)
      continue;
    *each = buffer->next;
    if (cuda_enter(cuda, 0) == ATTN_OK) {
      cuda->driver.cuMemFree(buffer->address);
      cuda_leave(cuda);
    }
    free(buffer);
    break;
  }
  tensor->data = 0;
}

static attn_code check_tensor(const attn_cuda *cuda, const attn_tensor *tensor, int64_t *bytes, attn_status *status) {
  int64_t owned = 0;
  attn_code code = check_shape(tensor, bytes, status);
  if (code != ATTN_OK)
    return code;
  if (*bytes > 0 && (!cuda_owns(cuda, tensor->data, &owned) || owned < *bytes))
    return attn_fail(status, ATTN_BAD_ARGUMENT,
                     owned ? "the memory of the tensor on %s ends before its elements"
                           : "the tensor is not one that attn_cuda_allocate gave memory of %s",
                     cuda->info.name);
  return ATTN_OK;
}

/* Enters where there are bytes to copy; the memory of none may be null. */
static attn_code begin_copy(attn_cuda *cuda, const attn_tensor *tensor, const void *memory, const char *name,
                            int64_t *bytes, attn_status *status) {
  attn_code code = check_pointers(cuda, tensor, status);
  if (code == ATTN_OK)
    code = check_tensor(cuda, tensor, bytes, status);
  if (code == ATTN_OK && *bytes == 0)
    return attn_succeed(status);
  if (code == ATTN_OK)
    code = attn_check_pointer(memory, name, status);
  return code == ATTN_OK ? cuda_enter(cuda, status) : code;
}

/* Whoever waits for the copy may change the host's memory behind it. */
static attn_code finish_copy(attn_cuda *cuda, cu_result error, attn_status *status) {
  if (!error)
    error = cuda->driver.cuStreamSynchronize(cuda->stream);
  cuda_leave(cuda);
  return error ? cuda_fails(cuda, error, "can't copy a tensor", status) : attn_succeed(status);
}

ATTN_PUBLIC attn_code attn_cuda_upload(attn_cuda *cuda, const attn_tensor *to, const void *from, attn_status *status) {
  int64_t bytes = 0;
  attn_code code = begin_copy(cuda, to, from, "the memory to copy from", &bytes, status);
  if (code != ATTN_OK || bytes == 0)
    return code;
  cu_address address = (cu_address)(uintptr_t)to->data;
  return finish_copy(cuda, cuda->driver.cuMemcpyHtoDAsync(address, from, (size_t)bytes, cuda->stream), status);
}

ATTN_PUBLIC attn_code attn_cuda_download(attn_cuda *cuda, void *to, const attn_tensor *from, attn_status *status) {
  int64_t bytes = 0;
  attn_code code = begin_copy(cuda, from, to, "the memory to copy to", &bytes, status);
  if (code != ATTN_OK || bytes == 0)
    return code;
  cu_address address = (cu_address)(uintptr_t)from->data;
  return finish_copy(cuda, cuda->driver.cuMemcpyDtoHAsync(to, address, (size_t)bytes, cuda->stream), status);
}

/* States ----------------------------------------------------------------------------------------------------------- */

struct reorder {
  attn_cuda *cuda;
  cu_result error;
};

/* In the order of the stream; what changes places goes by way of the memory of calls. */
static void move_on_device(void *self, char *row, char *other, size_t bytes, int swap) {
  struct reorder *reorder = self;
  attn_cuda *cuda = reorder->cuda;
  cu_address to = (cu_address)(uintptr_t)row, from = (cu_address)(uintptr_t)other;
  if (swap && !reorder->error)
    reorder->error = cuda_have_memory(cuda, (int64_t)bytes);
  if (swap && !reorder->error)
    reorder->error = cuda->driver.cuMemcpyDtoDAsync(cuda->memory, to, bytes, cuda->stream);
  if (!reorder->error)
    reorder->error = cuda->driver.cuMemcpyDtoDAsync(to, from, bytes, cuda->stream);
  if (swap && !reorder->error)
    reorder->error = cuda->driver.cuMemcpyDtoDAsync(from, cuda->memory, bytes, cuda->stream);
}

ATTN_PUBLIC attn_code attn_cuda_states_reorder(attn_cuda *cuda, int64_t number, const char *rows,
                                               const attn_tensor *states, const int32_t *from, attn_status *status) {
  attn_code code = attn_check_pointer(cuda, "the attn_cuda", status);
  if (code == ATTN_OK)
    code = attn_check_pointer(states, "the list of states", status);
  if (code != ATTN_OK)
    return code;
  const attn_model *model = cuda->model;
  int32_t count = number >= 0 && number < model->entry_count ? model->entries[number].state_count : 0;
  int64_t bytes;
  for (int32_t s = 0; s < count; ++s) {
    code = check_tensor(cuda, &states[s], &bytes, status);
    if (code != ATTN_OK)
      return code;
  }
  code = cuda_enter(cuda, status);
  if (code != ATTN_OK)
    return code;
  struct reorder reorder = {cuda, 0};
  attn_state_mover mover = {move_on_device, &reorder};
  code = attn_states_move(model, number, rows, states, from, &mover, status);
  attn_code copied = finish_copy(cuda, reorder.error, code == ATTN_OK ? status : 0);
  return code == ATTN_OK ? copied : code;
}
