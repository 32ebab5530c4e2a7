#include "state.h"

#include <stdlib.h>

/* Returns the bytes to allocate: at least half more than before, as tensors of successive calls may grow by a row. */
static int64_t grown(int64_t bytes, int64_t before) {
  int64_t more = before + before / 2;
  return bytes > more ? bytes : more;
}

cu_result cuda_reserve_memory(attn_cuda *cuda, int64_t bytes) {
  if (cuda->bytes >= bytes)
    return 0;
  int64_t most = grown(bytes, cuda->bytes);
  cu_address memory;
  if (cuda->memory)
    cuda->driver.cuMemFree(cuda->memory);
  cu_result error = cuda->driver.cuMemAlloc(&memory, (size_t)most);
  if (error == CU_OUT_OF_MEMORY && most > bytes) {
    most = bytes;
    error = cuda->driver.cuMemAlloc(&memory, (size_t)most);
  }
  cuda->memory = error ? 0 : memory;
  cuda->bytes = error ? 0 : most;
  return error;
}

cu_result cuda_reserve_staging(attn_cuda *cuda, int64_t bytes) {
  if (cuda->staging_bytes >= bytes)
    return 0;
  bytes = grown(bytes, cuda->staging_bytes);
  void *memory;
  if (cuda->staging)
    cuda->driver.cuMemFreeHost(cuda->staging);
  cu_result error = cuda->driver.cuMemHostAlloc(&memory, (size_t)bytes, 0);
  cuda->staging = error ? 0 : memory;
  cuda->staging_bytes = error ? 0 : bytes;
  return error;
}

int cuda_owns(const attn_cuda *cuda, const void *data, int64_t *bytes) {
  cu_address address = (cu_address)data;
  for (const struct cuda_buffer *each = cuda->buffers; each; each = each->next)
    if (address >= each->address && address - each->address < (cu_address)each->bytes) {
      *bytes = each->bytes - (int64_t)(address - each->address);
      return 1;
    }
  return 0;
}

void cuda_free_memory(attn_cuda *cuda) {
  while (cuda->buffers) {
    struct cuda_buffer *next = cuda->buffers->next;
    cuda->driver.cuMemFree(cuda->buffers->address);
    free(cuda->buffers);
    cuda->buffers = next;
  }
  if (cuda->memory)
    cuda->driver.cuMemFree(cuda->memory);
  if (cuda->staging)
    cuda->driver.cuMemFreeHost(cuda->staging);
}
