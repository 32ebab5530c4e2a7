/* Binding of the NVIDIA driver API, libcuda.so.1: the functions, records and constants of its ABI that the library
 * attnc::cuda uses. They are declared here because builds do not depend on CUDA. */
#ifndef ATTN_CUDA_DRIVER_H
#define ATTN_CUDA_DRIVER_H

#include "attn/status.h"
#include <stddef.h>

typedef int cu_result, cu_device; /* cu_result 0 is success */
typedef uintptr_t cu_address;     /* an address in the memory of a device */
typedef struct cu_context_state *cu_context;
typedef struct cu_module_state *cu_module;
typedef struct cu_function_state *cu_function;
typedef struct cu_stream_state *cu_stream;
typedef struct cu_graph_state *cu_graph;
typedef struct cu_node_state *cu_node;
typedef struct cu_executable_state *cu_executable; /* an instantiated graph */

/* A kernel launch, as a node of a graph: CUDA_KERNEL_NODE_PARAMS_v1. */
typedef struct cu_kernel_parameters {
  cu_function function;
  unsigned blocks[3], threads[3], shared_bytes;
  void **parameters, **options;
} cu_kernel_parameters;

/* Values of cu_result. */
enum { CU_OUT_OF_MEMORY = 2, CU_NO_DEVICE = 100, CU_UNSUPPORTED_PTX_VERSION = 222 };
/* Attributes of devices; CU_MOST_BLOCK_BYTES limits the shared memory of a block, static and dynamic. */
enum { CU_MULTIPROCESSORS = 16, CU_CAPABILITY_MAJOR = 75, CU_CAPABILITY_MINOR = 76, CU_MOST_BLOCK_BYTES = 97 };
/* Attributes of functions: the static shared memory of a block, and the most dynamic shared memory of a launch. */
enum { CU_FUNCTION_OWN_BLOCK_BYTES = 1, CU_FUNCTION_BLOCK_BYTES = 8 };
/* Flag of cuStreamCreate: no synchronisation with the default stream. */
enum { CU_STREAM_NON_BLOCKING = 1 };

/* X(FUNCTION, SUFFIX, PARAMETERS): a function of the driver that returns a cu_result. Its symbol in libcuda is FUNCTION
 * followed by SUFFIX, such as cuMemAlloc_v2. */
#define CUDA_ENTRY_POINTS(X)                                                                                           \
  X(cuInit, "", (unsigned flags))                                                                                      \
  X(cuDriverGetVersion, "", (int *version))                                                                            \
  X(cuGetErrorName, "", (cu_result error, const char **name))                                                          \
  X(cuDeviceGetCount, "", (int *count))                                                                                \
  X(cuDeviceGet, "", (cu_device * device, int number))                                                                 \
  X(cuDeviceGetName, "", (char *name, int length, cu_device device))                                                   \
  X(cuDeviceTotalMem, "_v2", (size_t * bytes, cu_device device))                                                       \
  X(cuDeviceGetAttribute, "", (int *value, int attribute, cu_device device))                                           \
  X(cuDevicePrimaryCtxRetain, "", (cu_context * context, cu_device device))                                            \
  X(cuDevicePrimaryCtxRelease, "_v2", (cu_device device))                                                              \
  X(cuCtxPushCurrent, "_v2", (cu_context context))                                                                     \
  X(cuCtxPopCurrent, "_v2", (cu_context * context))                                                                    \
  X(cuModuleLoadData, "", (cu_module * module, const void *image))                                                     \
  X(cuModuleUnload, "", (cu_module module))                                                                            \
  X(cuModuleGetFunction, "", (cu_function * function, cu_module module, const char *name))                             \
  X(cuFuncGetAttribute, "", (int *value, int attribute, cu_function function))                                         \
  X(cuFuncSetAttribute, "", (cu_function function, int attribute, int value))                                          \
  X(cuMemAlloc, "_v2", (cu_address * memory, size_t bytes))                                                            \
  X(cuMemFree, "_v2", (cu_address memory))                                                                             \
  X(cuMemHostAlloc, "", (void **memory, size_t bytes, unsigned flags))                                                 \
  X(cuMemFreeHost, "", (void *memory))                                                                                 \
  X(cuMemsetD8Async, "", (cu_address to, unsigned char value, size_t bytes, cu_stream stream))                         \
  X(cuMemcpyHtoDAsync, "_v2", (cu_address to, const void *from, size_t bytes, cu_stream stream))                       \
  X(cuMemcpyDtoHAsync, "_v2", (void *to, cu_address from, size_t bytes, cu_stream stream))                             \
  X(cuMemcpyDtoDAsync, "_v2", (cu_address to, cu_address from, size_t bytes, cu_stream stream))                        \
  X(cuStreamCreate, "", (cu_stream * stream, unsigned flags))                                                          \
  X(cuStreamDestroy, "_v2", (cu_stream stream))                                                                        \
  X(cuStreamSynchronize, "", (cu_stream stream))                                                                       \
  X(cuGraphCreate, "", (cu_graph * graph, unsigned flags))                                                             \
  X(cuGraphDestroy, "", (cu_graph graph))                                                                              \
  X(cuGraphAddKernelNode, "",                                                                                          \
    (cu_node * node, cu_graph graph, const cu_node *before, size_t count, const cu_kernel_parameters *parameters))     \
  X(cuGraphInstantiate, "WithFlags", (cu_executable * result, cu_graph graph, unsigned long long flags))               \
  X(cuGraphExecKernelNodeSetParams, "", (cu_executable graph, cu_node node, const cu_kernel_parameters *parameters))   \
  X(cuGraphExecDestroy, "", (cu_executable graph))                                                                     \
  X(cuGraphLaunch, "", (cu_executable graph, cu_stream stream))                                                        \
  X(cuLaunchKernel, "",                                                                                                \
    (cu_function function, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z, unsigned threads_x,                \
     unsigned threads_y, unsigned threads_z, unsigned shared_bytes, cu_stream stream, void **parameters,               \
     void **options))

/* The functions of a loaded driver: a member of type pointer to function for each. */
typedef struct cuda_driver {
#define CUDA_MEMBER(function, suffix, parameters) cu_result(*function) parameters;
  CUDA_ENTRY_POINTS(CUDA_MEMBER)
#undef CUDA_MEMBER
} cuda_driver;

/* Loads libcuda.so.1, fills *driver and initialises the driver (cuInit). Returns ATTN_UNSUPPORTED if there is no driver
 * or no device, if the driver lacks a function, or if it does not start; on success it leaves the status unchanged. The
 * library stays in the process, because the driver starts threads. */
attn_code cuda_driver_load(cuda_driver *driver, attn_status *status);
/* Returns the name of an error, such as "CUDA_ERROR_LAUNCH_FAILED", as a constant string; never null. */
const char *cuda_error_name(const cuda_driver *driver, cu_result error);

#endif
