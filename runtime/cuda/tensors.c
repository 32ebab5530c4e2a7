#include "state.h"

#include <stdlib.h>

/* Checks rank, type and sizes; `*bytes` becomes the size of the tensor. */
static attn_code check_shape(const attn_tensor *tensor, int64_t *bytes, attn_status *status) {
  if (tensor->rank < 0 || tensor->rank > ATTN_MAX_RANK)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "a tensor of %d dimensions, expected at most %d", tensor->rank,
                     ATTN_MAX_RANK);
  if (!attn_is_tensor_dtype(tensor->dtype))
    return attn_fail(status, ATTN_BAD_ARGUMENT, "a tensor has elements of type %d, expected an attn_dtype of tensors",
                     tensor->dtype);
  for (int32_t d = 0; d < tensor->rank; ++d)
    if (tensor->shape[d] < 0)
      return attn_fail(status, ATTN_BAD_ARGUMENT, "dimension %d of a tensor is %lld, expected at least 0", d,
                       (long long)tensor->shape[d]);
  *bytes = attn_tensor_bytes(tensor->dtype, tensor->shape, tensor->rank);
  if (*bytes > INT64_MAX - CUDA_ALIGNMENT)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "a tensor is beyond 64 bits");
  return ATTN_OK;
}

static attn_code check_tensor(const attn_cuda *cuda, const attn_tensor *tensor, int64_t *bytes, attn_status *status) {
  int64_t owned = 0;
  ATTN_TRY(check_shape(tensor, bytes, status));
  if (*bytes > 0 && (!cuda_owns(cuda, tensor->data, &owned) || owned < *bytes))
    return attn_fail(status, ATTN_BAD_ARGUMENT,
                     owned ? "the memory of the tensor on %s ends before its elements"
                           : "the tensor is not in memory that attn_cuda_allocate allocated on %s",
                     cuda->info.name);
  return ATTN_OK;
}

static attn_code allocate_zeros(attn_cuda *cuda, struct cuda_buffer *buffer, attn_status *status) {
  ATTN_TRY(cuda_check(cuda, cuda->driver.cuMemAlloc(&buffer->address, (size_t)buffer->bytes),
                      "can't allocate memory for a tensor", status));
  cu_result error = cuda->driver.cuMemsetD8Async(buffer->address, 0, (size_t)buffer->bytes, cuda->stream);
  if (!error)
    error = cuda->driver.cuStreamSynchronize(cuda->stream);
  if (error)
    cuda->driver.cuMemFree(buffer->address);
  return cuda_check(cuda, error, "can't write a tensor", status);
}

ATTN_PUBLIC attn_code attn_cuda_allocate(attn_cuda *cuda, attn_tensor *tensor, attn_status *status) {
  int64_t bytes;
  ATTN_TRY(attn_check_pointer(cuda, "the attn_cuda", status));
  ATTN_TRY(attn_check_pointer(tensor, "the tensor", status));
  tensor->data = 0;
  ATTN_TRY(check_shape(tensor, &bytes, status));
  struct cuda_buffer *buffer = malloc(sizeof *buffer);
  if (!buffer)
    return attn_fail(status, ATTN_NO_MEMORY, "no memory for a tensor's record");
  *buffer = (struct cuda_buffer){0, cuda_align(bytes > 0 ? bytes : 1, CUDA_ALIGNMENT), cuda->buffers};
  attn_code code = cuda_enter(cuda, status);
  if (code == ATTN_OK) {
    code = allocate_zeros(cuda, buffer, status);
    cuda_leave(cuda);
  }
  if (code != ATTN_OK) {
    free(buffer);
    return code;
  }
  cuda->buffers = buffer;
  tensor->data = (void *)buffer->address;
  return attn_succeed(status);
}

ATTN_PUBLIC void attn_cuda_free(attn_cuda *cuda, attn_tensor *tensor) {
  if (!cuda || !tensor)
    return;
  struct cuda_buffer **link = &cuda->buffers;
  while (*link && (*link)->address != (cu_address)tensor->data)
    link = &(*link)->next;
  struct cuda_buffer *buffer = *link;
  if (buffer) {
    *link = buffer->next;
    if (cuda_enter(cuda, 0) == ATTN_OK) {
      cuda->driver.cuMemFree(buffer->address);
      cuda_leave(cuda);
    }
    free(buffer);
  }
  tensor->data = 0;
}

/* Waits for a copy, after which the caller may change the host memory. Leaves the context. */
static attn_code finish_copy(attn_cuda *cuda, cu_result error, attn_status *status) {
  if (!error)
    error = cuda->driver.cuStreamSynchronize(cuda->stream);
  cuda_leave(cuda);
  ATTN_TRY(cuda_check(cuda, error, "can't copy a tensor", status));
  return attn_succeed(status);
}

/* Copies a tensor from host memory (an upload) or to host memory, which may be null for no bytes. */
static attn_code copy(attn_cuda *cuda, const attn_tensor *tensor, void *memory, int is_upload, attn_status *status) {
  int64_t bytes = 0;
  ATTN_TRY(attn_check_pointer(cuda, "the attn_cuda", status));
  ATTN_TRY(attn_check_pointer(tensor, "the tensor", status));
  ATTN_TRY(check_tensor(cuda, tensor, &bytes, status));
  if (bytes == 0)
    return attn_succeed(status);
  ATTN_TRY(attn_check_pointer(memory, is_upload ? "the memory to copy from" : "the memory to copy to", status));
  ATTN_TRY(cuda_enter(cuda, status));
  cu_address address = (cu_address)tensor->data;
  return finish_copy(cuda,
                     is_upload ? cuda->driver.cuMemcpyHtoDAsync(address, memory, (size_t)bytes, cuda->stream)
                               : cuda->driver.cuMemcpyDtoHAsync(memory, address, (size_t)bytes, cuda->stream),
                     status);
}

ATTN_PUBLIC attn_code attn_cuda_upload(attn_cuda *cuda, const attn_tensor *to, const void *from, attn_status *status) {
  return copy(cuda, to, (void *)from, 1, status);
}

ATTN_PUBLIC attn_code attn_cuda_download(attn_cuda *cuda, void *to, const attn_tensor *from, attn_status *status) {
  return copy(cuda, from, to, 0, status);
}

struct reorder {
  attn_cuda *cuda;
  cu_result error;
};

/* Copies row `from` to `to`; for a swap, first saves `to` in the memory of calls, and then copies it to `from`. */
static cu_result move_row(attn_cuda *cuda, cu_address to, cu_address from, size_t bytes, int swap) {
  if (swap) {
    ATTN_TRY(cuda_reserve_memory(cuda, (int64_t)bytes));
    ATTN_TRY(cuda->driver.cuMemcpyDtoDAsync(cuda->memory, to, bytes, cuda->stream));
  }
  ATTN_TRY(cuda->driver.cuMemcpyDtoDAsync(to, from, bytes, cuda->stream));
  return swap ? cuda->driver.cuMemcpyDtoDAsync(from, cuda->memory, bytes, cuda->stream) : 0;
}

static void move_on_device(void *self, char *row, char *other, size_t bytes, int swap) {
  struct reorder *reorder = self;
  if (!reorder->error)
    reorder->error = move_row(reorder->cuda, (cu_address)row, (cu_address)other, bytes, swap);
}

ATTN_PUBLIC attn_code attn_cuda_states_reorder(attn_cuda *cuda, int64_t number, const char *rows,
                                               const attn_tensor *states, const int32_t *from, attn_status *status) {
  ATTN_TRY(attn_check_pointer(cuda, "the attn_cuda", status));
  ATTN_TRY(attn_check_pointer(states, "the list of states", status));
  const attn_model *model = cuda->model;
  int32_t count = number >= 0 && number < model->entry_count ? model->entries[number].state_count : 0;
  int64_t bytes;
  for (int32_t s = 0; s < count; ++s)
    ATTN_TRY(check_tensor(cuda, &states[s], &bytes, status));
  ATTN_TRY(cuda_enter(cuda, status));
  struct reorder reorder = {cuda, 0};
  attn_state_mover mover = {move_on_device, &reorder};
  attn_code code = attn_states_move(model, number, rows, states, from, &mover, status);
  attn_code copied = finish_copy(cuda, reorder.error, code == ATTN_OK ? status : 0);
  return code == ATTN_OK ? copied : code;
}
