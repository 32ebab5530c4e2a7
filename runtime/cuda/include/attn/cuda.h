/* Calls of models compiled with --target cuda, on NVIDIA devices.
 *
 * The machine's driver, libcuda.so.1, is loaded when devices are counted, described or opened, so builds do not depend
 * on CUDA. Only programs with such models link this library (attnc::cuda in CMake).
 *
 * Each tensor of a call is in host memory or in device memory. Caches, and results that the next call reads, are best
 * in device memory. An attn_cuda is a model that is open on a device. One thread at a time may use it, and it serves
 * one call at a time. Several of them, also of one model and with the same weights, can share a device; their calls run
 * concurrently. No thread may change the weights during a call. */
#ifndef ATTN_CUDA_H
#define ATTN_CUDA_H

#include "attn/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A model that is open on a device, with its code, its parameters and the caller's tensors on the device. */
typedef struct attn_cuda attn_cuda;

enum {
  ATTN_ANY_DEVICE = -1 /* in attn_cuda_open: the number in the environment variable ATTN_DEVICE; 0 if unset or empty */
};

/* A description of a device. */
typedef struct attn_cuda_device {
  char name[256];       /* "NVIDIA H100 80GB HBM3" */
  int64_t memory_bytes; /* total device memory, free or not */
  int32_t architecture; /* 90 for sm_90 */
  int32_t processors;   /* streaming multiprocessors */
} attn_cuda_device;

/* Counts the devices, which are numbered from 0. Returns ATTN_UNSUPPORTED if there is no device, or if the driver is
 * missing, too old or does not start; ATTN_DEVICE_FAULT if it fails later; *count is 0 after an error. */
attn_code attn_cuda_count(int32_t *count, attn_status *status);
/* Describes device number `device`; ATTN_BAD_ARGUMENT if it does not exist, also for ATTN_ANY_DEVICE; other errors are
 * those of attn_cuda_count. *out is zero after an error. */
attn_code attn_cuda_describe(int32_t device, attn_cuda_device *out, attn_status *status);

/* Opens device number `device` for a model: loads its code, and copies the parameters that its kernels read from
 * `weights` (null for a model without parameters) to the device. The first call after attn_weights_repack copies them
 * again. Model and weights must outlive *out, which the caller closes; *out is null after an error.
 *
 * Returns ATTN_UNSUPPORTED if there is no driver or no device, if the driver is too old, if no image of the model runs
 * on the architecture of the device (attn_device_image), if a block of the device has too little shared memory, or if
 * this processor or this runtime does not support the model's host code; ATTN_BAD_ARGUMENT for a model of a processor,
 * missing weights, weights of another model, or an invalid device number, also in ATTN_DEVICE; ATTN_NO_MEMORY if the
 * device or the host has too little memory; ATTN_DEVICE_FAULT if the driver fails. */
attn_code attn_cuda_open(const attn_model *model, attn_weights *weights, int32_t device, attn_cuda **out,
                         attn_status *status);
/* Waits for a call in progress, whose results in host memory are then not written. Closes the model and frees all its
 * device memory, including the caller's tensors. Null is ignored. */
void attn_cuda_close(attn_cuda *cuda);

/* Returns the device's name, valid until attn_cuda_close; null for null. */
const char *attn_cuda_device_name(const attn_cuda *cuda);
/* Returns the architecture of the loaded device image, attn_device_image.target, such as "sm_90a". The loaded image is
 * the last one of the model that both device and driver support. Null for null. */
const char *attn_cuda_image(const attn_cuda *cuda);

/* Allocates zeroed device memory for a tensor whose shape, rank and element type the caller has set. tensor->data
 * becomes a device address, which the host cannot read; it is valid only in functions with this attn_cuda, until
 * attn_cuda_free or attn_cuda_close. The data of a tensor of a call may also be an address within this memory, aligned
 * to ATTN_DEVICE_ALIGNMENT. Returns ATTN_BAD_ARGUMENT for a negative size, more than ATTN_MAX_RANK dimensions, an
 * invalid element type, or a tensor beyond 64 bits; ATTN_NO_MEMORY if device or host has too little memory;
 * ATTN_DEVICE_FAULT if the driver fails. tensor->data is null after an error, but unchanged if `cuda` is null. */
attn_code attn_cuda_allocate(attn_cuda *cuda, attn_tensor *tensor, attn_status *status);
/* Frees the memory of attn_cuda_allocate that starts at tensor->data, if any, and sets tensor->data to null. Does
 * nothing if either argument is null. No call that uses the tensor may be in progress. */
void attn_cuda_free(attn_cuda *cuda, attn_tensor *tensor);
/* attn_cuda_upload copies all elements of the tensor `to` from host memory at `from` to the device; attn_cuda_download
 * copies all elements of the tensor `from` to host memory at `to`. Both return when the copy, and the kernels of a call
 * in progress, are done (attn_cuda_wait must still follow); for a tensor without elements they do nothing. Both return
 * the errors of attn_cuda_allocate, and ATTN_BAD_ARGUMENT if the tensor's data is not in memory of attn_cuda_allocate
 * of this attn_cuda, or extends beyond that memory. */
attn_code attn_cuda_upload(attn_cuda *cuda, const attn_tensor *to, const void *from, attn_status *status);
attn_code attn_cuda_download(attn_cuda *cuda, void *to, const attn_tensor *from, attn_status *status);

/* Does the work of attn_states_reorder (attn/states.h) for states that are all in memory of attn_cuda_allocate, with
 * the same errors; `states` and `from` themselves are in host memory. Also returns ATTN_BAD_ARGUMENT for a state in
 * other memory, ATTN_NO_MEMORY and ATTN_DEVICE_FAULT. After the last two, the states are undefined. */
attn_code attn_cuda_states_reorder(attn_cuda *cuda, int64_t entry, const char *rows, const attn_tensor *states,
                                   const int32_t *from, attn_status *status);

/* Runs entry point number `entry` and returns when it is done. `tensors` are its inputs, then its results, with the
 * checks, the codes and the rules of attn_run. Arena and other memory of the call belong to the attn_cuda, and
 * successive calls reuse them.
 *
 * A tensor whose data is not in memory of attn_cuda_allocate is in host memory. Inputs in host memory are copied to the
 * device, and results and states in host memory are copied back after the last kernel; after an error they are
 * unchanged. Tensors in device memory are used in place. After an error of a kernel, also after ATTN_FULL, results
 * there are undefined, and so are states except key-value caches, for which attn_run states the rules.
 *
 * Returns ATTN_BAD_ARGUMENT also for a device address that is not aligned to ATTN_DEVICE_ALIGNMENT, for a tensor that
 * extends beyond its memory of attn_cuda_allocate, and for a kernel with more blocks than a launch can have;
 * ATTN_NO_MEMORY if device or host has too little memory; ATTN_DEVICE_FAULT if the driver or the device fails. */
attn_code attn_cuda_run(attn_cuda *cuda, int64_t entry, const attn_tensor *tensors, int64_t tensor_count,
                        attn_status *status);

/* attn_cuda_start and attn_cuda_wait are the two parts of attn_cuda_run. `start` checks the arguments, and returns when
 * the work is in the device's queue. `wait` returns when the work is done and results in host memory are written. A
 * decoding loop (an entry point that `decode` derives) with a stop token waits for the device in `start`, after each
 * decoding step.
 *
 * Between the two, another `start` returns ATTN_BAD_ARGUMENT, and the call remains in progress. After any other error
 * of `start` there is no call to wait for; `wait` without a call returns ATTN_BAD_ARGUMENT. Each function returns the
 * errors that it finds, so errors of kernels, such as ATTN_OUT_OF_RANGE and ATTN_FULL, come from `wait`, and for
 * decoding loops with a stop token from either. The caller may change inputs in host memory after `start`, and inputs
 * in device memory only after `wait`; until then, the memory of results and states must remain valid. */
attn_code attn_cuda_start(attn_cuda *cuda, int64_t entry, const attn_tensor *tensors, int64_t tensor_count,
                          attn_status *status);
attn_code attn_cuda_wait(attn_cuda *cuda, attn_status *status);

#ifdef __cplusplus
}
#endif
#endif
