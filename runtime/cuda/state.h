/* A model on a device, as the files of this library share it. */
#ifndef ATTN_CUDA_STATE_H
#define ATTN_CUDA_STATE_H

#include "attn/cuda.h"
#include "driver.h"
#include "queue.h"
#include "internal.h"

enum { CUDA_ALIGNMENT = 256 /* of parts of one allocation */ };

/* Memory of the device that a tensor has. */
struct cuda_buffer {
  cu_address address;
  int64_t bytes;
  struct cuda_buffer *next;
};

/* A call under way. Tensors of the host have places in the memory of the call, at the same offsets in `staging`:
 *
 *   | inputs | the status | states | results | the arena |
 *   0        status                          arena       total
 */
struct cuda_call {
  const attn_entry_info *entry; /* null: there is none */
  int64_t dimensions[ATTN_MAX_DIMENSIONS];
  void *given[ATTN_MAX_TENSORS];     /* where tensors are for whom calls */
  void *data[ATTN_MAX_TENSORS];      /* where they are on the device */
  int64_t offsets[ATTN_MAX_TENSORS]; /* -1: it was on the device before */
  int64_t bytes[ATTN_MAX_TENSORS];
  int64_t status, uploaded, arena, total;
  int32_t answer;   /* of the host code */
  cu_result error;  /* the first of the driver */
  const char *what; /* failed */
  int is_beyond_grid;
};

struct attn_cuda {
  attn_executor executor; /* its launches are in the queue */
  const attn_model *model;
  attn_weights *weights;
  cuda_driver driver;
  cu_device device;
  cu_context context;
  const attn_device_image *image; /* that the device runs */
  cu_module module;
  cu_stream stream;
  cu_function *functions; /* one a phase of model->device; null where the image has none */
  cu_address parameters;  /* the values of those that kernels read */
  const void **table;     /* where each of them begins: attn_frame::parameters */
  int64_t packings;       /* attn_weights_packings when they were copied */
  cu_address memory;      /* of calls */
  int64_t bytes;
  char *staging; /* page-locked memory of the host */
  int64_t staging_bytes;
  cuda_queue queue;
  struct cuda_buffer *buffers;
  struct cuda_call call;
  attn_cuda_device info;
};

/* Finds device `number` and asks what it is. */
attn_code cuda_describe(const cuda_driver *driver, long number, cu_device *device, attn_cuda_device *info,
                        attn_status *status);

attn_code cuda_fails(const attn_cuda *cuda, cu_result error, const char *what, attn_status *status);

/* Makes the context that of the calling thread, up to cuda_leave. */
attn_code cuda_enter(const attn_cuda *cuda, attn_status *status);
void cuda_leave(const attn_cuda *cuda);

/* Copies the parameters again if they have been packed anew. */
attn_code cuda_renew_parameters(attn_cuda *cuda, attn_status *status);

/* Memory for calls, and staging, of at least so many bytes. What they held is lost. */
cu_result cuda_have_memory(attn_cuda *cuda, int64_t bytes);
cu_result cuda_have_staging(attn_cuda *cuda, int64_t bytes);

/* Whether `data` lies in memory that attn_cuda_allocate gave, and then how many bytes there are from there on. */
int cuda_owns(const attn_cuda *cuda, const void *data, int64_t *bytes);
void cuda_free_buffers(attn_cuda *cuda);

/* Bytes of a tensor; INT64_MAX where that is beyond 64 bits. */
int64_t cuda_tensor_bytes(int32_t dtype, const int64_t *shape, int32_t rank);

/* What generated code launches by. */
void cuda_launch_phase(void *self, attn_kernel_fn fn, const attn_kernel_args *args, int64_t chunks, char *scratch,
                       int64_t scratch_stride);

static inline int64_t cuda_align(int64_t bytes) {
  return (bytes + CUDA_ALIGNMENT - 1) / CUDA_ALIGNMENT * CUDA_ALIGNMENT;
}

#endif
