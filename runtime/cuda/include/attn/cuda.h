/* NVIDIA devices: calls of models that were compiled with --target cuda.
 *
 * The machine's driver, libcuda.so.1, is loaded when a device is opened: builds need nothing of CUDA. Only programs
 * with such models link this library (attnc::cuda in CMake).
 *
 *   attn_cuda *device;
 *   if (attn_cuda_open(&gpt_model, weights, ATTN_ANY_DEVICE, &device, &status) == ATTN_OK)
 *     attn_cuda_run(device, attn_find_entry(&gpt_model, "logits"), tensors, 2, &status);
 *   attn_cuda_close(device);
 *
 * Each tensor of a call lies in the memory of the host or of the device. Caches, and results that the next call reads,
 * are best on the device:
 *
 *   attn_tensor cache = {.shape = {batch, heads, context, width}, .rank = 4, .dtype = ATTN_F32};
 *   attn_cuda_allocate(device, &cache, &status);
 *
 * One attn_cuda serves one call at a time. Two of them, also of one model, share a device and overlap. */
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
  int64_t memory_bytes; /* total, used or not */
  int32_t architecture; /* 90 for sm_90 */
  int32_t processors;   /* streaming multiprocessors */
} attn_cuda_device;

/* Counts the devices; their numbers begin at 0. ATTN_UNSUPPORTED, and a count of 0, without a driver or a device. */
attn_code attn_cuda_count(int32_t *count, attn_status *status);
/* ATTN_BAD_ARGUMENT where there is no such device. */
attn_code attn_cuda_describe(int32_t device, attn_cuda_device *out, attn_status *status);

/* Models ---------------------------------------------------------------------------------------------------------- */

/* Opens device number `device` for a model: loads its code, and copies the parameters that its kernels read from
 * `weights` (null for a model without parameters). After attn_weights_repack the next call copies them again. Model and
 * weights must outlive *out. ATTN_UNSUPPORTED where driver or device are missing or older than the code;
 * ATTN_BAD_ARGUMENT for a model of a processor, missing weights, weights of another model, or a number of no device. */
attn_code attn_cuda_open(const attn_model *model, attn_weights *weights, int32_t device, attn_cuda **out,
                         attn_status *status);
/* Frees all memory on the device, that of tensors included. Null is fine. */
void attn_cuda_close(attn_cuda *cuda);

/* The device's name; null for null. */
const char *attn_cuda_device_name(const attn_cuda *cuda);
/* The device image that it runs, such as "sm_90a": the last one for the device, or an older one where the driver does
 * not support that. Null for null. */
const char *attn_cuda_image(const attn_cuda *cuda);

/* Tensors on the device ------------------------------------------------------------------------------------------- */

/* Allocates zeroed memory on the device for a tensor whose shape, rank and element type are set. Its `data` becomes an
 * address there, valid only for calls of this attn_cuda. ATTN_BAD_ARGUMENT for a negative size, more than ATTN_MAX_RANK
 * dimensions or another element type, ATTN_NO_MEMORY where the device has too little. */
attn_code attn_cuda_allocate(attn_cuda *cuda, attn_tensor *tensor, attn_status *status);
/* Frees that memory and sets `data` to null. Null for either argument does nothing. */
void attn_cuda_free(attn_cuda *cuda, attn_tensor *tensor);
/* Copy all elements between a tensor on the device and memory of the host, and return after the copy.
 * ATTN_BAD_ARGUMENT where the tensor is not one of this attn_cuda, or larger than its memory. */
attn_code attn_cuda_upload(attn_cuda *cuda, const attn_tensor *to, const void *from, attn_status *status);
attn_code attn_cuda_download(attn_cuda *cuda, void *to, const attn_tensor *from, attn_status *status);

/* attn_states_reorder (attn/states.h) for states that are all tensors of attn_cuda_allocate; `from` is in the memory of
 * the host. */
attn_code attn_cuda_states_reorder(attn_cuda *cuda, int64_t entry, const char *rows, const attn_tensor *states,
                                   const int32_t *from, attn_status *status);

/* Calls ----------------------------------------------------------------------------------------------------------- */

/* Runs entry point number `entry`: `tensors` are its inputs, then its results, as for attn_run. Tensors in the memory
 * of the host are copied to the device, and results and states back after the last kernel; after an error they are
 * unchanged. Tensors on the device are used in place; after an error, results there are undefined, and so are states
 * that are no caches. ATTN_NO_MEMORY where the device has too little, ATTN_DEVICE_FAULT where the driver or the device
 * fails.
 *
 * The next call reuses the memory of a call. A sequence of launches that repeats becomes a CUDA graph. */
attn_code attn_cuda_run(attn_cuda *cuda, int64_t entry, const attn_tensor *tensors, int64_t tensor_count,
                        attn_status *status);

/* attn_cuda_run in two calls: `start` returns once the work is in the device's queue, `wait` once it is done. After
 * `start`, inputs in the memory of the host may be changed, those on the device only after `wait`. Between the two,
 * this attn_cuda accepts no other call, and the memory of results and of states must stay valid. */
attn_code attn_cuda_start(attn_cuda *cuda, int64_t entry, const attn_tensor *tensors, int64_t tensor_count,
                          attn_status *status);
attn_code attn_cuda_wait(attn_cuda *cuda, attn_status *status);

#ifdef __cplusplus
}
#endif
#endif
