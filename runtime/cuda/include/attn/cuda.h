/* Calls of models compiled with --target cuda, on NVIDIA devices.
 *
 * The machine's driver, libcuda.so.1, is loaded when a device is opened, so builds do not depend on CUDA. Only programs
 * with such models link this library (attnc::cuda in CMake).
 *
 * Each tensor of a call is in host memory or in device memory. Caches, and results that the next call reads, are best
 * in device memory. One attn_cuda serves one call at a time. Several of them, also of one model, can share a device,
 * and their calls overlap. */
#ifndef ATTN_CUDA_H
#define ATTN_CUDA_H

#include "attn/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct attn_cuda attn_cuda;

/* Devices --------------------------------------------------------------------------------------------------------- */

enum {
  ATTN_ANY_DEVICE = -1 /* the number in the environment variable ATTN_DEVICE, or the first device */
};

typedef struct attn_cuda_device {
  char name[256];       /* "NVIDIA H100 80GB HBM3" */
  int64_t memory_bytes; /* total memory */
  int32_t architecture; /* 90 for sm_90 */
  int32_t processors;   /* streaming multiprocessors */
} attn_cuda_device;

/* Counts the devices, which are numbered from 0. Returns ATTN_UNSUPPORTED without a driver or a device,
 * ATTN_DEVICE_FAULT if the driver fails; the count is then 0. */
attn_code attn_cuda_count(int32_t *count, attn_status *status);
/* Describes a device; ATTN_BAD_ARGUMENT if it does not exist. *out is zero after an error. */
attn_code attn_cuda_describe(int32_t device, attn_cuda_device *out, attn_status *status);

/* Models ---------------------------------------------------------------------------------------------------------- */

/* Opens device number `device` for a model: loads its code, and copies the parameters that its kernels read from
 * `weights` (null for a model without parameters). The first call after attn_weights_repack copies them again. Model
 * and weights must outlive *out, which is null after an error. Returns ATTN_UNSUPPORTED if the driver or device is
 * missing or older than the code; ATTN_BAD_ARGUMENT for a model of a processor, missing weights, weights of another
 * model, or an invalid device number. */
attn_code attn_cuda_open(const attn_model *model, attn_weights *weights, int32_t device, attn_cuda **out,
                         attn_status *status);
/* Closes a device and frees all its memory, including tensors. A null `cuda` is ignored. */
void attn_cuda_close(attn_cuda *cuda);

/* Returns the device's name; null for null. */
const char *attn_cuda_device_name(const attn_cuda *cuda);
/* Returns the architecture of the device image that is loaded, such as "sm_90a": the last image that the device
 * supports, or an earlier one if the driver does not support that. Null for null. */
const char *attn_cuda_image(const attn_cuda *cuda);

/* Tensors on the device ------------------------------------------------------------------------------------------- */

/* Allocates zeroed device memory for a tensor whose shape, rank and element type are set. Its `data` becomes a device
 * address, valid only in calls of this attn_cuda. Returns ATTN_BAD_ARGUMENT for a negative size, more than
 * ATTN_MAX_RANK dimensions or an invalid element type, ATTN_NO_MEMORY if the device has too little memory. */
attn_code attn_cuda_allocate(attn_cuda *cuda, attn_tensor *tensor, attn_status *status);
/* Frees that memory and sets `data` to null. Does nothing if either argument is null. */
void attn_cuda_free(attn_cuda *cuda, attn_tensor *tensor);
/* Copy all elements from host memory to a tensor in device memory, and back, and return after the copy.
 * ATTN_BAD_ARGUMENT if the tensor is not from attn_cuda_allocate of this attn_cuda, or is larger than its memory. */
attn_code attn_cuda_upload(attn_cuda *cuda, const attn_tensor *to, const void *from, attn_status *status);
attn_code attn_cuda_download(attn_cuda *cuda, void *to, const attn_tensor *from, attn_status *status);

/* Does attn_states_reorder (attn/states.h) for states that are all from attn_cuda_allocate; `from` is in
 * host memory. */
attn_code attn_cuda_states_reorder(attn_cuda *cuda, int64_t entry, const char *rows, const attn_tensor *states,
                                   const int32_t *from, attn_status *status);

/* Calls ----------------------------------------------------------------------------------------------------------- */

/* Runs entry point number `entry`: `tensors` are its inputs, then its results, as for attn_run. Tensors in host memory
 * are copied to the device, and results and states are copied back after the last kernel; after an error they are
 * unchanged. Tensors in device memory are used in place; after an error, results there are undefined, and so are states
 * except caches. Returns ATTN_NO_MEMORY if the device has too little memory, ATTN_DEVICE_FAULT if the driver or the
 * device fails. Successive calls reuse the memory of calls. */
attn_code attn_cuda_run(attn_cuda *cuda, int64_t entry, const attn_tensor *tensors, int64_t tensor_count,
                        attn_status *status);

/* Split attn_cuda_run in two calls: `start` returns when the work is in the device's queue, `wait` when it is done and
 * host memory has the results. After an error of `start` there is no call to wait for. Entry points that `decode`
 * derives wait for the device in `start` already. The caller may change inputs in host memory after `start`, and inputs
 * in device memory only after `wait`. Between the two, this attn_cuda accepts no other call, and the memory of results
 * and states must remain valid. */
attn_code attn_cuda_start(attn_cuda *cuda, int64_t entry, const attn_tensor *tensors, int64_t tensor_count,
                          attn_status *status);
attn_code attn_cuda_wait(attn_cuda *cuda, attn_status *status);

#ifdef __cplusplus
}
#endif
#endif
