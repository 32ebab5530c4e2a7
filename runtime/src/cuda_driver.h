/* The entry points of libcuda.so.1 that are used, as its ABI has them; no header of CUDA is needed. */
#ifndef ATTN_CUDA_DRIVER_H
#define ATTN_CUDA_DRIVER_H

#include "attn/status.h"
#include <stddef.h>

typedef int cu_result; /* 0 is success */
typedef int cu_device;
typedef unsigned long long cu_address; /* of memory on a device */
typedef struct cu_context_state *cu_context;
typedef struct cu_module_state *cu_module;
typedef struct cu_function_state *cu_function;
typedef struct cu_stream_state *cu_stream; /* null: the context's own */

enum {
  CU_OUT_OF_MEMORY = 2,
  CU_NO_DEVICE = 100,
  CU_UNSUPPORTED_PTX_VERSION = 222,
  CU_CAPABILITY_MAJOR = 75, /* attributes of devices */
  CU_CAPABILITY_MINOR = 76,
  CU_MOST_BLOCK_BYTES = 97,
  CU_FUNCTION_BLOCK_BYTES = 8 /* an attribute of functions */
};

/* name in libcuda, result and parameters; the member is called by the name without its version */
#define CUDA_ENTRY_POINTS(X)                                                                                           \
  X(cuInit, "cuInit", (unsigned flags))                                                                                \
  X(cuGetErrorName, "cuGetErrorName", (cu_result error, const char **name))                                            \
  X(cuDeviceGetCount, "cuDeviceGetCount", (int *count))                                                                \
  X(cuDeviceGet, "cuDeviceGet", (cu_device *device, int number))                                                       \
  X(cuDeviceGetName, "cuDeviceGetName", (char *name, int length, cu_device device))                                    \
  X(cuDeviceGetAttribute, "cuDeviceGetAttribute", (int *value, int attribute, cu_device device))                       \
  X(cuDevicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain", (cu_context * context, cu_device device))                    \
  X(cuDevicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", (cu_device device))                                     \
  X(cuCtxPushCurrent, "cuCtxPushCurrent_v2", (cu_context context))                                                     \
  X(cuCtxPopCurrent, "cuCtxPopCurrent_v2", (cu_context * context))                                                     \
  X(cuCtxSynchronize, "cuCtxSynchronize", (void))                                                                      \
  X(cuModuleLoadData, "cuModuleLoadData", (cu_module * module, const void *image))                                     \
  X(cuModuleUnload, "cuModuleUnload", (cu_module module))                                                              \
  X(cuModuleGetFunction, "cuModuleGetFunction", (cu_function * function, cu_module module, const char *name))          \
  X(cuFuncSetAttribute, "cuFuncSetAttribute", (cu_function function, int attribute, int value))                        \
  X(cuMemAlloc, "cuMemAlloc_v2", (cu_address * memory, size_t bytes))                                                  \
  X(cuMemFree, "cuMemFree_v2", (cu_address memory))                                                                    \
  X(cuMemcpyHtoD, "cuMemcpyHtoD_v2", (cu_address to, const void *from, size_t bytes))                                  \
  X(cuMemcpyDtoH, "cuMemcpyDtoH_v2", (void *to, cu_address from, size_t bytes))                                        \
  X(cuLaunchKernel, "cuLaunchKernel",                                                                                  \
    (cu_function function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z, unsigned threads_x,                \
     unsigned threads_y, unsigned threads_z, unsigned shared_bytes, cu_stream stream, void **parameters,               \
     void **options))

typedef struct cuda_driver {
#define CUDA_MEMBER(member, name, parameters) cu_result(*member) parameters;
  CUDA_ENTRY_POINTS(CUDA_MEMBER)
#undef CUDA_MEMBER
  void *library;
} cuda_driver;

/* Loads the driver and starts it. ATTN_UNSUPPORTED where there is none, or one that lacks an entry point. */
attn_code cuda_driver_load(cuda_driver *driver, attn_status *status);
void cuda_driver_unload(cuda_driver *driver);
/* "CUDA_ERROR_LAUNCH_FAILED" */
const char *cuda_error_name(const cuda_driver *driver, cu_result error);

#endif
