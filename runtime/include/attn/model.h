/* Description of a compiled model, a constant of its object: `const attn_model <prefix>_model`.
 * `attn_run` checks calls against it, `attn_weights_load` checks files, `attnc describe` prints it.
 *
 * The description and its strings, which end in a zero, live as long as the object. Tensors are dense and row-major;
 * sizes count elements unless their name says bytes. `abi_version` and `name` have the same offsets in every version,
 * so that a reader can compare the version with ATTN_ABI_VERSION first, and name the model in its message.
 *
 * The parameter table (attn_frame::parameters) is an array of pointers. The first loaded_count pointers address the
 * values of parameters as loaded: from a file, from the object, drawn, or in memory of the caller. They are null for
 * values that are not in memory (attn_weights_table). The next packed_count pointers address copies of weights in the
 * order in which kernels read them, which `prepare` writes when weights are created, and in attn_weights_repack. */
#ifndef ATTN_MODEL_H
#define ATTN_MODEL_H

#include "attn/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The element types of tensors: X(ID, NUMBER, NAME, C_TYPE). ATTN_<ID> is the attn_dtype; its value NUMBER is the same
 * in all versions. NAME is its name in models, messages and model.json; ID is its name in safetensors files. C_TYPE
 * stores an element: a bool is 0 or 1; bf16 and f16 are stored as their bits. Kernels widen bf16 and f16 to f32 for
 * computation, and round results to nearest even. Compiler, runtime and tools share this table. */
#define ATTN_ELEMENT_TYPES(X)                                                                                          \
  X(F32, 0, "f32", float)                                                                                              \
  X(I32, 1, "i32", int32_t)                                                                                            \
  X(BOOL, 2, "bool", uint8_t)                                                                                          \
  X(BF16, 4, "bf16", uint16_t)                                                                                         \
  X(F16, 5, "f16", uint16_t)

typedef enum attn_dtype {
  ATTN_PACKED_WEIGHT = 3, /* a packed weight, only in attn_kernel_tensor; its elements have no type of the table */
#define ATTN_ENUMERATOR(ID, NUMBER, NAME, C_TYPE) ATTN_##ID = NUMBER,
  ATTN_ELEMENT_TYPES(ATTN_ENUMERATOR)
#undef ATTN_ENUMERATOR
} attn_dtype;

/* Returns the bytes of an element of the attn_dtype `dtype`; 0 for ATTN_PACKED_WEIGHT and for other numbers. */
static inline int64_t attn_element_bytes(int32_t dtype) {
  switch (dtype) {
#define ATTN_BYTES(ID, NUMBER, NAME, C_TYPE)                                                                           \
  case NUMBER: return (int64_t)sizeof(C_TYPE);
    ATTN_ELEMENT_TYPES(ATTN_BYTES)
#undef ATTN_BYTES
  default: return 0;
  }
}

/* The term coefficient * dimensions[factors[0]] * ... * quotients[0] * ..., where dimensions are the dynamic dimensions
 * of a call. */
typedef struct attn_size_term {
  int64_t coefficient;
  const int32_t *factors; /* an array of factor_count */
  int32_t factor_count, quotient_count;
  const struct attn_size_quotient *quotients; /* an array of quotient_count */
} attn_size_term;

/* The size of a tensor along one dimension, the sum of its terms: 2*n*m + 1 has two terms, the second one without
 * factors. attn_size (attn/run.h) computes the value. */
typedef struct attn_size_info {
  const attn_size_term *terms;
  int64_t term_count;
} attn_size_info;

/* The number dividend / divisor, rounded down, such as (n + 15) / 16. The dividend is not negative. */
typedef struct attn_size_quotient {
  attn_size_info dividend;
  int64_t divisor; /* at least 1 */
} attn_size_quotient;

/* An input or a result of an entry point: its name, element type, and shape as a function of the dimensions. */
typedef struct attn_tensor_info {
  const char *name;
  const attn_size_info *shape; /* an array of `rank` sizes, outermost first */
  int32_t dtype;               /* an attn_dtype */
  int32_t rank;
} attn_tensor_info;

/* A dynamic dimension of an entry point, such as `batch`: a size that each call chooses. */
typedef struct attn_dimension_info {
  const char *name;
  int64_t max; /* largest size that a call may have; -1 for no limit */
  int64_t min; /* smallest size that a call may have */
} attn_dimension_info;

/* Returns the floating-point operations of the kernels of a call with these dimensions, which must be in range; the
 * number wraps around if it exceeds 64 bits. */
typedef int64_t (*attn_flops_fn)(const int64_t *dimensions);

/* An entry point: a function of the model that programs call, through attn_run or attn_cuda_run. */
typedef struct attn_entry_info {
  const char *name;
  attn_entry_fn run; /* the compiled code; attn/abi.h lists the checks that it makes */
  attn_arena_bytes_fn arena_bytes;
  const attn_dimension_info *dimensions; /* an array of dimension_count */
  const attn_tensor_info *tensors;       /* inputs, then results: input_count + result_count */
  int32_t dimension_count;
  int32_t input_count; /* with the states */
  int32_t result_count;
  int32_t updates;     /* 1: a call changes the parameters, as a training step does, and states of training */
  int32_t state_count; /* the last state_count inputs are states: memory of the caller that a call updates in place */
  int32_t take_back;   /* positions by which rows of states can be truncated (attn/states.h); 0: any number */
  attn_flops_fn flops;
} attn_entry_info;

/* The distribution of the initial values of a parameter; a and b are init_a and init_b of attn_parameter_info. */
typedef enum attn_init {
  ATTN_INIT_CONSTANT = 0, /* every element is a */
  ATTN_INIT_NORMAL = 1,   /* mean a, standard deviation b */
  ATTN_INIT_UNIFORM = 2   /* from a to b */
} attn_init;

/* A parameter of the model, or the parameters of all modules of a list, which have one name and shape. Each of them is
 * an entry, and has an element of the parameter table. There are product(counts) entries, numbered from 0 in row-major
 * order of the list indices. A parameter outside of lists has one entry. */
typedef struct attn_parameter_info {
  const char *name;       /* path in the model, such as "blocks.norm1.gain" */
  const char *checkpoint; /* name in files: {0}, {1} are list indices, {0*6+1+#2} is 6 i0 + i1 + 2; []: attn/files.h */
  const int64_t *shape;   /* shape of one entry, an array of `rank` */
  const int64_t *counts;  /* lengths of the lists, outermost first, an array of list_rank */
  const void *embedded;   /* the values inside the object, entry after entry without padding; null if not embedded */
  double init_a, init_b;
  int32_t init;  /* an attn_init */
  int32_t dtype; /* an attn_dtype: f32, or i32 for a state of training, whatever --precision is */
  int32_t rank;
  int32_t list_rank; /* number of nested lists around the parameter; 0 for a single parameter */
  int64_t first;     /* position of entry 0 in the parameter table; the other entries follow */
  int32_t state;     /* 1: a state of training, such as a moment, which only entry points with `updates` read */
  int32_t unread;    /* 1: no entry point reads the values as loaded; kernels may read a packed copy */
} attn_parameter_info;

/* A packed weight. Objects with equal texts `layout` have equal packed weights of equal values. */
typedef struct attn_packed_info {
  int64_t bytes;      /* a multiple of ATTN_ALIGNMENT */
  int64_t source;     /* position in the parameter table of the value that it is a copy of */
  const char *layout; /* element type, shape and order, such as "bf16[64, 16], panels of 48 columns, transposed" */
} attn_packed_info;

/* An operand or a result of a kernel, in attn_kernel_args::buffers. */
typedef struct attn_kernel_tensor {
  const int64_t *shape; /* an array of `rank`; -1 stands for the next element of attn_kernel_args::sizes */
  int32_t dtype;        /* an attn_dtype; ATTN_PACKED_WEIGHT for a packed weight */
  int32_t rank;
} attn_kernel_tensor;

/* A kernel and its phases, by which an executor can identify a launch and its tensors. A launch runs the phases in
 * order; a phase starts after all chunks of the previous phase are done. */
typedef struct attn_kernel_info {
  const char *name;
  const char *kind;                  /* "attend", "gemm", "rows", ... */
  const char *places;                /* source locations of its ops: "gpt.attn:31:14, nn.attn:50:3" */
  const attn_kernel_fn *phases;      /* an array of phase_count: the functions passed to executors */
  const attn_kernel_tensor *tensors; /* operands, then results: operand_count + result_count */
  int64_t phase_count;
  int32_t operand_count;
  int32_t result_count;
} attn_kernel_info;

/* A kernel phase on a device: a function of a device image. A block of threads computes a chunk; the number of the
 * block in the grid is the number of the chunk. The function has a parameter of 8 bytes for each of
 * attn_kernel_args::buffers, then for each of attn_kernel_args::sizes, then `shared` and `status`. Buffers, `shared`
 * and `status` are addresses in device memory.
 *
 * The status on the device is an array of two attn_codes, zero at the start of a call. Kernels write the first one. The
 * check of the capacity of caches, which runs before all other kernels, writes the second one. The code of the call is
 * the second one if it is not ATTN_OK, otherwise the first one. */
typedef struct attn_device_phase {
  attn_kernel_fn phase; /* identifies the phase to executors; if a processor calls it, it sets ATTN_UNSUPPORTED */
  const char *name;     /* the function's name in the device image */
  int32_t threads;      /* threads of a block */
  int32_t buffer_count;
  int32_t size_count;
  int32_t block_bytes; /* dynamic shared memory of a block, besides the static memory of the function */
  uint64_t images;     /* bit i: attn_device_code::images[i] has the function; otherwise a launch does nothing */
} attn_device_phase;

/* A device image: the device code of a model for devices of some architectures. */
typedef struct attn_device_image {
  const char *target; /* "sm_80" runs on sm_80 and newer ones, "sm_90a" on sm_90 alone, "sm_100f" on sm_10x */
  const char *ptx;    /* PTX, text that ends in a zero; the device's driver compiles it */
} attn_device_image;

/* Device code of a model: its kernels, and the copies and cache updates between them. */
typedef struct attn_device_code {
  const attn_device_image *images; /* at least one; a device runs the last one that it and its driver support */
  int64_t image_count;
  const attn_device_phase *phases;
  int64_t phase_count;
  /* Identifies a copy from the device to the host instead of a kernel phase; null if no entry point needs the copy. An
   * executor that receives this function waits for all earlier launches. It copies the int32_t at the device address
   * buffers[0] to `shared`, and an attn_code to `status`: the status on the device, or ATTN_DEVICE_FAULT if the copy or
   * an earlier launch failed, after which `shared` is unchanged. For this function, `shared` and `status` are in host
   * memory. */
  attn_kernel_fn fetch;
} attn_device_code;

/* A compiled model. Every pointer is to constants of the object. */
typedef struct attn_model {
  uint32_t abi_version; /* ATTN_ABI_VERSION of the compiler */
  const char *name;
  const char *target;   /* the processor or device of the compile, a text for messages */
  const char *identity; /* text, a hash of the code: training continued with the same object gives the same bits */
  const attn_entry_info *entries;
  const attn_parameter_info *parameters;
  const attn_kernel_info *kernels;
  const attn_packed_info *packed; /* an array of packed_count */
  attn_prepare_fn prepare;        /* null if no weight is packed */
  attn_arena_bytes_fn prepare_arena_bytes; /* arena of `prepare`; its dimensions are null; null if no arena is needed */
  int64_t entry_count;
  int64_t parameter_count; /* length of `parameters` */
  int64_t kernel_count;
  int64_t loaded_count; /* elements of the parameter table for values as loaded; packed_count elements follow */
  int64_t packed_count;
  const attn_device_code *device; /* null if processors run the kernels */
  uint64_t features;              /* processor features that the code on the host requires: bits of attn/processor.h */
} attn_model;

#ifdef __cplusplus
}
#endif
#endif
