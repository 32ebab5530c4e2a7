/* Runs models that were compiled for an NVIDIA device (--target cuda), by the driver that the machine has.
 *
 * libcuda.so.1 is loaded when a device is opened: to build and to link nothing of it is needed. It is a library of its
 * own (attnc::cuda in CMake) that only programs with such models link.
 *
 *   attn_cuda *device;
 *   if (attn_cuda_open(&gpt_model, weights, ATTN_ANY_DEVICE, &device, &status) == ATTN_OK)
 *     attn_cuda_run(device, attn_find_entry(&gpt_model, "logits"), tensors, 2, &status);
 *   attn_cuda_close(device);
 *
 * Tensors of a call lie in the memory of the host or in that of the device, each as the caller likes: caches and what
 * one call hands to the next stay there,
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
  ATTN_ANY_DEVICE = -1 /* the one that ATTN_DEVICE of the environment gives by its number, or the first */
};

typedef struct attn_cuda_device {
  char name[256];       /* "NVIDIA H100 80GB HBM3" */
  int64_t memory_bytes; /* in all, whoever uses it now */
  int32_t architecture; /* 90 for sm_90 */
  int32_t processors;   /* streaming multiprocessors */
} attn_cuda_device;

/* How many devices there are: numbers from 0. ATTN_UNSUPPORTED, and 0, where there is no driver or no device. */
attn_code attn_cuda_count(int32_t *count, attn_status *status);
/* ATTN_BAD_ARGUMENT where there is no such device. */
attn_code attn_cuda_describe(int32_t device, attn_cuda_device *out, attn_status *status);

/* Models ---------------------------------------------------------------------------------------------------------- */

/* Opens device number `device` for a model: its code is loaded there, and of the parameters of `weights` (null for a
 * model that has none) what its kernels read is copied as it is now, and again behind each attn_weights_repack.
 * Both must outlive *out. ATTN_UNSUPPORTED where there is no driver, no device, or one that is older than the code, and
 * ATTN_BAD_ARGUMENT for a model of a processor, weights that are missing or another model's, or a number that no device
 * has; the message says which. */
attn_code attn_cuda_open(const attn_model *model, attn_weights *weights, int32_t device, attn_cuda **out,
                         attn_status *status);
/* Gives all of the device's memory back, that of tensors too. Null is fine. */
void attn_cuda_close(attn_cuda *cuda);

/* The device's name; null for null. */
const char *attn_cuda_device_name(const attn_cuda *cuda);
/* Which image of the model it runs, such as "sm_90a": the last that is for it, or an older one where the driver is too
 * old for that. Null for null. */
const char *attn_cuda_image(const attn_cuda *cuda);

/* Tensors on the device ------------------------------------------------------------------------------------------- */

/* Gives a tensor, whose shape, rank and element type are set, memory of the device that holds zeros. Its `data` is an
 * address there, which calls of this attn_cuda alone may use. ATTN_BAD_ARGUMENT for a negative size, more than
 * ATTN_MAX_RANK dimensions or another element type, ATTN_NO_MEMORY where there is none. */
attn_code attn_cuda_allocate(attn_cuda *cuda, attn_tensor *tensor, attn_status *status);
/* Its `data` is null afterwards. Null for either does nothing. */
void attn_cuda_free(attn_cuda *cuda, attn_tensor *tensor);
/* Copies all elements between a tensor on the device and memory of the host, and returns when that is done.
 * ATTN_BAD_ARGUMENT where the tensor is not this attn_cuda's, or larger than its memory. */
attn_code attn_cuda_upload(attn_cuda *cuda, const attn_tensor *to, const void *from, attn_status *status);
attn_code attn_cuda_download(attn_cuda *cuda, void *to, const attn_tensor *from, attn_status *status);

/* attn_states_reorder (attn/states.h) for states that all are tensors of attn_cuda_allocate; `from` lies in the memory
 * of the host. */
attn_code attn_cuda_states_reorder(attn_cuda *cuda, int64_t entry, const char *rows, const attn_tensor *states,
                                   const int32_t *from, attn_status *status);

/* Calls ----------------------------------------------------------------------------------------------------------- */

/* Runs entry point number `entry`: `tensors` are its inputs, then its results, as for attn_run. What lies in the memory
 * of the host is copied to the device, and results and states from there once all has run; where that fails, they are
 * as before. Tensors on the device are used where they are; of a call that fails, those of results are undefined, and
 * of states those that are no caches. ATTN_NO_MEMORY where the device has too little, ATTN_DEVICE_FAULT where the
 * driver or the device fails.
 *
 * The memory that a call wants is kept for the next one. Launches that come again are one graph, launched at once. */
attn_code attn_cuda_run(attn_cuda *cuda, int64_t entry, const attn_tensor *tensors, int64_t tensor_count,
                        attn_status *status);

/* The same in two: `start` answers once the device has its work (inputs in the memory of the host may then be changed,
 * those on the device not before `wait`), and `wait` once that is done. Between them nothing else may be asked of this
 * attn_cuda, and results, and states of the host, stay where they are. */
attn_code attn_cuda_start(attn_cuda *cuda, int64_t entry, const attn_tensor *tensors, int64_t tensor_count,
                          attn_status *status);
attn_code attn_cuda_wait(attn_cuda *cuda, attn_status *status);

#ifdef __cplusplus
}
#endif
#endif
