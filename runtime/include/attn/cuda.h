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
 * One attn_cuda serves one call at a time. */
#ifndef ATTN_CUDA_H
#define ATTN_CUDA_H

#include "attn/run.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct attn_cuda attn_cuda;

enum {
  ATTN_ANY_DEVICE = -1 /* the one that ATTN_DEVICE of the environment gives by its number, or the first */
};

/* Opens device number `device` for a model: its code is loaded there, and the parameters of `weights` (null for a model
 * that has none) are copied as they are now. ATTN_UNSUPPORTED where there is no driver, no device, or one that is older
 * than the code; the message says which. */
attn_code attn_cuda_open(const attn_model *model, attn_weights *weights, int32_t device, attn_cuda **out,
                         attn_status *status);
/* Gives all of the device's memory back. Null is fine. */
void attn_cuda_close(attn_cuda *cuda);

/* The device's name, such as "NVIDIA H100 80GB HBM3". */
const char *attn_cuda_device_name(const attn_cuda *cuda);

/* Runs entry point number `entry`: `tensors` are its inputs, then its results, as for attn_run, in the memory of the
 * host. Inputs are copied to the device, where arena and results get their memory, which is kept for calls of that
 * size; results, and inputs that are states, are copied back once all has run. Where that fails, they are as before:
 * ATTN_NO_MEMORY where the device has too little, ATTN_DEVICE_FAULT where the driver or the device fails. */
attn_code attn_cuda_run(attn_cuda *cuda, int64_t entry, const attn_tensor *tensors, int64_t tensor_count,
                        attn_status *status);

#ifdef __cplusplus
}
#endif
#endif
