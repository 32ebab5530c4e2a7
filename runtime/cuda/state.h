/* The record behind attn_cuda, which is a model that is open on a device, and functions that several source files of
 * the library call.
 *
 *   model.c         opening and closing
 *     call.c        calls of entry points, and the executor of generated code
 *     tensors.c     tensors of the caller in device memory, copies, rows of states
 *     parameters.c  parameters in device memory
 *     queue.c       launches and graphs of launches
 *     memory.c      memory of calls and tensors
 *     device.c      enumeration of devices; the context of a device and its errors
 *     driver.c      functions of the driver
 *
 * Each source file calls only files below it in this list. */
#ifndef ATTN_CUDA_STATE_H
#define ATTN_CUDA_STATE_H

#include "attn/cuda.h"
#include "driver.h"
#include "internal.h"
#include "queue.h"

enum {
  CUDA_ALIGNMENT = 256,  /* of ranges in one allocation, in bytes */
  CUDA_BEYOND_GRID = -1, /* an additional cu_result: a kernel has too many blocks for a launch */
};

/* A call in progress, and the layout of the device memory of calls (attn_cuda::memory) for the call. Each tensor in
 * host memory has a range of this memory. `staging`, in host memory, has the same layout, without the arena. Offsets
 * are in bytes; the first range begins at CUDA_ALIGNMENT, so that offset 0 is no tensor.
 *
 *   | inputs | status | states | results | arena |
 *   0        status                      arena   total
 *
 * One copy to the device covers the bytes [0, uploaded), up to the end of the states; one back, [status, arena). */
struct cuda_call {
  const attn_entry_info *entry; /* null: no call is in progress */
  int64_t dimensions[ATTN_MAX_DIMENSIONS];
  /* One element for each tensor, inputs before results: */
  void *given[ATTN_MAX_TENSORS];          /* the caller's address */
  void *data[ATTN_MAX_TENSORS];           /* the address in device memory */
  int64_t offsets[ATTN_MAX_TENSORS];      /* offset of its range; -1 for a tensor in memory of attn_cuda_allocate */
  int64_t bytes[ATTN_MAX_TENSORS];        /* its size */
  int64_t status, uploaded, arena, total; /* offsets of the drawing above */
  cu_result error;    /* error of the first failed operation since the call started; 0 if none failed */
  const char *failed; /* name of the failed operation; for CUDA_BEYOND_GRID, of the kernel phase */
};

/* Device memory that attn_cuda_allocate has allocated for a tensor: an element of a linked list. */
struct cuda_buffer {
  cu_address address;
  int64_t bytes;
  struct cuda_buffer *next;
};

struct attn_cuda {
  attn_executor executor; /* cuda_launch_phase with this record as `self`; one worker */
  const attn_model *model;
  attn_weights *weights; /* of the caller; null for a model without parameters */
  cuda_driver driver;
  attn_cuda_device info;
  cu_device device;
  cu_context context;
  cu_stream stream;
  const attn_device_image *image; /* the image that the device runs */
  cu_module module;
  cu_function *functions; /* one for each phase of model->device; null if the image lacks it */
  cuda_queue queue;
  cu_address parameters; /* device memory with copies of the parameters that kernels read */
  const void **table;    /* attn_frame::parameters: addresses in `parameters`; null for a model without parameters */
  int64_t packings;      /* attn_weights_packings when the parameters were last copied; 0 before the first copy */
  cu_address memory;     /* device memory of calls */
  int64_t bytes;         /* size of `memory` */
  char *staging;         /* page-locked memory of the host, for copies to and from `memory` */
  int64_t staging_bytes;
  struct cuda_buffer *buffers; /* tensors of the caller */
  struct cuda_call call;
};

/* Finds device `number`, sets *device and *info, and fills the status. Returns ATTN_BAD_ARGUMENT if the device does not
 * exist, ATTN_DEVICE_FAULT if the driver fails. */
attn_code cuda_describe(const cuda_driver *driver, long number, cu_device *device, attn_cuda_device *info,
                        attn_status *status);
/* Returns ATTN_OK, without a change of `status`, if `error` is 0; otherwise ATTN_NO_MEMORY or ATTN_DEVICE_FAULT, with
 * the message "MODEL: `what` on DEVICE: ERROR". */
attn_code cuda_check(const attn_cuda *cuda, cu_result error, const char *what, attn_status *status);
/* Makes the context of the device current in the calling thread; after ATTN_OK, which leaves `status` unchanged, the
 * caller calls cuda_leave. Functions below that call the driver require it. */
attn_code cuda_enter(const attn_cuda *cuda, attn_status *status);
void cuda_leave(const attn_cuda *cuda);

/* Make `memory` and `staging` at least `bytes` long. Their contents are lost if they grow. After an error, which is
 * returned, the memory is null and has 0 bytes. */
cu_result cuda_reserve_memory(attn_cuda *cuda, int64_t bytes);
cu_result cuda_reserve_staging(attn_cuda *cuda, int64_t bytes);
/* Returns 1 if `data` is an address in memory from attn_cuda_allocate, otherwise 0. `*bytes` becomes the number of
 * bytes from `data` to the end of the allocation; it is unchanged for 0. */
int cuda_owns(const attn_cuda *cuda, const void *data, int64_t *bytes);
/* Frees `memory`, `staging` and `buffers`. */
void cuda_free_memory(attn_cuda *cuda);
/* Returns `bytes`, which is not negative, rounded up to a multiple of `unit`. */
static inline int64_t cuda_align(int64_t bytes, int64_t unit) { return (bytes + unit - 1) / unit * unit; }

/* Copies the parameters that kernels read from `weights` to `parameters`, and waits for the copy. Does nothing for a
 * model without parameters, and if the weights have not been packed since the last copy. The first copy allocates
 * `table` and `parameters`. Leaves the status unchanged if it returns ATTN_OK. */
attn_code cuda_copy_parameters(attn_cuda *cuda, attn_status *status);

/* attn_executor::parallel_for of generated code, with the attn_cuda as `self`. If `fn` is attn_device_phase::phase of a
 * phase of the model, adds a launch of `chunks` blocks to the queue, or nothing if `chunks` is 0 or the loaded image
 * lacks the function; if `fn` is attn_device_code::fetch, flushes the queue, waits, and makes the copy. Scratch is
 * ignored. An error is recorded in `call`, which then ignores further launches. */
void cuda_launch_phase(void *self, attn_kernel_fn fn, const attn_kernel_args *args, int64_t chunks, char *scratch,
                       int64_t scratch_stride);

#endif
