/* The record behind attn_cuda, a model that is open on a device, and functions that several sources call.
 *
 *   model.c         opening and closing
 *     call.c        calls of entry points, and the executor of generated code
 *     tensors.c     tensors of the caller in device memory, copies, rows of states
 *     parameters.c  parameters in device memory
 *     queue.c       launches and graphs of launches
 *     memory.c      memory of calls and tensors
 *     device.c      enumeration of devices; the context and errors of one
 *     driver.c      functions of the driver
 *
 * Each source calls only sources below it. */
#ifndef ATTN_CUDA_STATE_H
#define ATTN_CUDA_STATE_H

#include "attn/cuda.h"
#include "driver.h"
#include "internal.h"
#include "queue.h"

enum {
  CUDA_ALIGNMENT = 256,  /* of ranges in one allocation */
  CUDA_BEYOND_GRID = -1, /* an additional cu_result: a kernel has too many blocks for a launch */
};

/* A call in progress. Tensors in host memory have ranges in the device memory of calls (attn_cuda::memory), and, before
 * `arena`, ranges with the same offsets in `staging`. Offsets are in bytes; the first range begins at CUDA_ALIGNMENT.
 *
 *   | inputs | status | states | results | arena |
 *   0        status                      arena   total
 *
 * Copies to the device go from 0 to `uploaded`, the end of the states; copies back from `status` to `arena`. */
struct cuda_call {
  const attn_entry_info *entry; /* null: no call is in progress */
  int64_t dimensions[ATTN_MAX_DIMENSIONS];
  void *given[ATTN_MAX_TENSORS];     /* the caller's addresses */
  void *data[ATTN_MAX_TENSORS];      /* addresses on the device */
  int64_t offsets[ATTN_MAX_TENSORS]; /* of the range; -1 for a tensor in memory of attn_cuda_allocate */
  int64_t bytes[ATTN_MAX_TENSORS];   /* sizes of the tensors */
  int64_t status, uploaded, arena, total;
  cu_result error;    /* of the first failed operation, or 0 */
  const char *failed; /* the failed operation; for CUDA_BEYOND_GRID, the name of the kernel */
};

/* Device memory that attn_cuda_allocate has allocated for a tensor; a list. */
struct cuda_buffer {
  cu_address address;
  int64_t bytes;
  struct cuda_buffer *next;
};

struct attn_cuda {
  attn_executor executor; /* adds launches to the queue */
  const attn_model *model;
  attn_weights *weights;
  cuda_driver driver;
  attn_cuda_device info;
  cu_device device;
  cu_context context;
  cu_stream stream;
  const attn_device_image *image; /* the image that the device runs */
  cu_module module;
  cu_function *functions; /* one for each phase of model->device; null if the image lacks it */
  cuda_queue queue;
  cu_address parameters; /* device memory of the parameters that kernels read */
  const void **table;    /* attn_frame::parameters: addresses in `parameters`; null for a model without parameters */
  int64_t packings;      /* attn_weights_packings when the parameters were copied; 0 before */
  cu_address memory;     /* device memory of calls */
  int64_t bytes;         /* of `memory` */
  char *staging;         /* page-locked memory of the host, for copies to and from `memory` */
  int64_t staging_bytes;
  struct cuda_buffer *buffers; /* tensors of the caller */
  struct cuda_call call;
};

/* device.c: finds device `number`, and sets *device and *info; ATTN_BAD_ARGUMENT if it does not exist. */
attn_code cuda_describe(const cuda_driver *driver, long number, cu_device *device, attn_cuda_device *info,
                        attn_status *status);
/* Returns ATTN_OK, without a change of `status`, if `error` is 0; otherwise ATTN_NO_MEMORY or ATTN_DEVICE_FAULT, with
 * the message "MODEL: `what` on DEVICE: ERROR". */
attn_code cuda_check(const attn_cuda *cuda, cu_result error, const char *what, attn_status *status);
/* Makes the context current in the calling thread until cuda_leave. */
attn_code cuda_enter(const attn_cuda *cuda, attn_status *status);
void cuda_leave(const attn_cuda *cuda);

/* memory.c: grow `memory` and `staging` to at least `bytes`. Their contents are lost if they grow. */
cu_result cuda_reserve_memory(attn_cuda *cuda, int64_t bytes);
cu_result cuda_reserve_staging(attn_cuda *cuda, int64_t bytes);
/* Returns 1 if `data` is in memory from attn_cuda_allocate; `*bytes` is then the number of bytes from it to the end. */
int cuda_owns(const attn_cuda *cuda, const void *data, int64_t *bytes);
/* Frees `memory`, `staging` and `buffers`. */
void cuda_free_memory(attn_cuda *cuda);
/* Rounds up to a multiple of `unit`. */
static inline int64_t cuda_align(int64_t bytes, int64_t unit) { return (bytes + unit - 1) / unit * unit; }

/* parameters.c: copies the parameters to `parameters`, unless they have not been packed since the last copy. The first
 * copy allocates `table` and `parameters`. */
attn_code cuda_copy_parameters(attn_cuda *cuda, attn_status *status);

/* call.c: attn_executor::parallel_for of generated code, with the attn_cuda as `self`: adds a launch to the queue, or
 * fetches a word (attn_device_code::fetch). Records an error in the call. */
void cuda_launch_phase(void *self, attn_kernel_fn fn, const attn_kernel_args *args, int64_t chunks, char *scratch,
                       int64_t scratch_stride);

#endif
