/* Description of a compiled model, a constant of its object: `const attn_model <prefix>_model`.
 * `attn_run` checks calls against it, `attn_weights_load` checks files, `attnc describe` prints it.
 *
 * The description and its strings, which end in a zero, live as long as the object. Tensors are dense and row-major;
 * sizes count elements unless their name says bytes. `abi_version` and `name` have the same offsets in every version,
 * so that a reader can compare the version with ATTN_ABI_VERSION first, and name the model in its message.
 *
 * The parameter table (attn_frame::parameters) has loaded_count elements for values from a file or inside the object,
 * then packed_count elements that `prepare` fills from them, once, after loading. */
#ifndef ATTN_MODEL_H
#define ATTN_MODEL_H

#include "attn/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The element types of tensors: X(ID, NUMBER, NAME, C_TYPE). ATTN_ID is the attn_dtype, whose value NUMBER is the same
 * in all versions. NAME is its name in models, messages and model.json; ID is its name in safetensors files. C_TYPE
 * stores an element: a bool is 0 or 1; bf16 and f16 are the bits of a number rounded to nearest even, and kernels
 * compute with them in f32. Compiler, runtime and tools share this table. */
#define ATTN_ELEMENT_TYPES(X)                                                                                          \
  X(F32, 0, "f32", float)                                                                                              \
  X(I32, 1, "i32", int32_t)                                                                                            \
  X(BOOL, 2, "bool", uint8_t)                                                                                          \
  X(BF16, 4, "bf16", uint16_t)                                                                                         \
  X(F16, 5, "f16", uint16_t)

typedef enum attn_dtype {
  ATTN_PACKED_WEIGHT = 3, /* only of tensors of kernels */
#define ATTN_ENUMERATOR(ID, NUMBER, NAME, C_TYPE) ATTN_##ID = NUMBER,
  ATTN_ELEMENT_TYPES(ATTN_ENUMERATOR)
#undef ATTN_ENUMERATOR
} attn_dtype;

/* Returns the bytes of an element of a type in the table; 0 for other numbers. */
static inline int64_t attn_element_bytes(int32_t dtype) {
  switch (dtype) {
#define ATTN_BYTES(ID, NUMBER, NAME, C_TYPE)                                                                           \
  case NUMBER: return (int64_t)sizeof(C_TYPE);
    ATTN_ELEMENT_TYPES(ATTN_BYTES)
#undef ATTN_BYTES
  default: return 0;
  }
}

/* coefficient * dimensions[factors[0]] * dimensions[factors[1]] * ... */
typedef struct attn_size_term {
  int64_t coefficient;
  const int32_t *factors; /* an array of factor_count */
  int64_t factor_count;
} attn_size_term;

/* A size of a tensor, the sum of its terms: 2*n*m + 1 has two terms, the second one without factors. */
typedef struct attn_size_info {
  const attn_size_term *terms;
  int64_t term_count;
} attn_size_info;

/* An input or a result of an entry point. */
typedef struct attn_tensor_info {
  const char *name;
  const attn_size_info *shape; /* an array of rank */
  int32_t dtype;               /* an attn_dtype */
  int32_t rank;
} attn_tensor_info;

/* A dynamic dimension of an entry point. */
typedef struct attn_dimension_info {
  const char *name;
  int64_t max; /* largest value allowed, or -1 */
  int64_t min; /* smallest value allowed */
} attn_dimension_info;

/* Returns the floating-point operations of a call with these dimensions, which must be in range. */
typedef int64_t (*attn_flops_fn)(const int64_t *dimensions);

/* An entry point. */
typedef struct attn_entry_info {
  const char *name;
  attn_entry_fn run;
  attn_arena_bytes_fn arena_bytes;
  const attn_dimension_info *dimensions;
  const attn_tensor_info *tensors; /* inputs, then results */
  int32_t dimension_count;
  int32_t input_count;
  int32_t result_count;
  int32_t updates; /* 1: a call changes parameters and states, as a training step does */
  int32_t state_count; /* number of states, the last inputs: memory of the caller that calls update in place */
  int32_t take_back; /* positions by which states can be truncated (attn/states.h); 0: any number */
  attn_flops_fn flops; /* floating-point operations of the kernels of one call */
} attn_entry_info;

/* The distribution of the initial values of a parameter; a and b are init_a and init_b. */
typedef enum attn_init {
  ATTN_INIT_CONSTANT = 0, /* a */
  ATTN_INIT_NORMAL = 1,   /* mean a, deviation b */
  ATTN_INIT_UNIFORM = 2   /* from a to b */
} attn_init;

/* A parameter, or a list of parameters: product(counts) elements of the parameter table, the last index fastest. */
typedef struct attn_parameter_info {
  const char *name;       /* path in the model, such as "blocks.norm1.gain" */
  const char *checkpoint; /* name in a weights file; {0}, {1} stand for the list indices */
  const int64_t *shape;   /* an array of rank */
  const int64_t *counts;  /* an array of list_rank */
  const void *embedded;   /* the values inside the object, entry after entry of the list, or null */
  double init_a, init_b;
  int32_t init; /* an attn_init */
  int32_t dtype;     /* an attn_dtype */
  int32_t rank;
  int32_t list_rank; /* number of lists around it; 0 for a single parameter */
  int64_t first; /* number of its first element in the parameter table */
  int32_t state; /* 1: a state of training, such as a moment, which only entry points with `updates` read */
  int32_t unread; /* 1: no entry point reads it as loaded; kernels may read it packed */
} attn_parameter_info;

/* A tensor of attn_kernel_args. */
typedef struct attn_kernel_tensor {
  const int64_t *shape; /* an array of rank; -1 stands for the next of attn_kernel_args::sizes */
  int32_t dtype;        /* an attn_dtype; ATTN_PACKED_WEIGHT for a packed weight */
  int32_t rank;
} attn_kernel_tensor;

/* A kernel and its phases, by which an executor can identify a launch and its tensors. A launch runs the phases in
 * order, each after all chunks of the one before. */
typedef struct attn_kernel_info {
  const char *name;
  const char *kind;   /* "attend", "gemm", "rows", ... */
  const char *places; /* its source locations in the model: "gpt.attn:31:14, nn.attn:50:3" */
  const attn_kernel_fn *phases;
  const attn_kernel_tensor *tensors; /* operands, then results */
  int64_t phase_count;
  int32_t operand_count;
  int32_t result_count;
} attn_kernel_info;

/* A kernel phase on a device: a function of a device image, which computes a chunk with a block of threads. Its
 * parameters have 8 bytes each: the buffers and sizes of attn_kernel_args, then `shared` and `status`, all in device
 * memory. The status on the device has two words: kernels write the first one, and the check of the capacity of caches,
 * which precedes them, the second one. A call returns the second word if it is not ATTN_OK, otherwise the first one. */
typedef struct attn_device_phase {
  attn_kernel_fn phase; /* the function passed to executors; on a processor it sets ATTN_UNSUPPORTED */
  const char *name;
  int32_t threads; /* of a block */
  int32_t buffer_count;
  int32_t size_count;
  int32_t block_bytes; /* dynamic shared memory of a block, besides the static memory of the function */
  uint64_t images; /* bit i: attn_device_code::images[i] has the function; otherwise a launch does nothing */
} attn_device_phase;

/* A device image: the functions for devices of some architectures. */
typedef struct attn_device_image {
  const char *target; /* "sm_80" runs on sm_80 and newer ones, "sm_90a" on sm_90 alone, "sm_100f" on sm_10x */
  const char *ptx;    /* text that the device's driver compiles */
} attn_device_image;

/* Device code of a model: its kernels, and the copies and cache updates between them. */
typedef struct attn_device_code {
  const attn_device_image *images; /* a device runs the last one that it and its driver support */
  int64_t image_count;
  const attn_device_phase *phases;
  int64_t phase_count;
  /* For this function, an executor waits for its launches, copies the int32_t at buffers[0] to `shared`, which is host
   * memory, and sets *status, in host memory too, if a kernel or the device has failed. Null if no entry point launches
   * it. */
  attn_kernel_fn fetch;
} attn_device_code;

typedef struct attn_model {
  uint32_t abi_version; /* ATTN_ABI_VERSION of the compiler */
  const char *name;
  const char *target;   /* processor or device that it was compiled for, for messages */
  const char *identity; /* a hash of the code: training continued with the same object gives the same bits */
  const attn_entry_info *entries;
  const attn_parameter_info *parameters;
  const attn_kernel_info *kernels;
  const int64_t *packed_bytes;             /* an array of packed_count: bytes of the packed weights */
  attn_prepare_fn prepare;                 /* null if no weight is packed */
  attn_arena_bytes_fn prepare_arena_bytes; /* of prepare, for null dimensions; null if it needs no arena */
  int64_t entry_count;
  int64_t parameter_count; /* length of `parameters` */
  int64_t kernel_count;
  int64_t loaded_count; /* elements of the parameter table that a file fills; packed ones follow */
  int64_t packed_count;
  const attn_device_code *device; /* null if processors run the kernels */
  uint64_t features;              /* processor features that the code requires: bits of attn/processor.h */
} attn_model;

#ifdef __cplusplus
}
#endif
#endif
