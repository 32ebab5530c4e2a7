/* The table by which a generated object describes itself: `const attn_model <prefix>_model`.
 * `attn_run` checks calls against it, `attn_weights_load` checks files, `attnc describe` prints it.
 *
 * All of it is constant and lives as long as the object; texts end in a zero. Tensors are dense and row-major; sizes
 * count elements unless their name says bytes. `abi_version` and `name` lie at the same offsets in every version, so
 * that whoever reads a table can compare it with ATTN_ABI_VERSION before anything else, and say which model it is.
 *
 * The parameter table (attn_frame::parameters) has loaded_count places, of values from a file or inside the object,
 * then packed_count that `prepare` fills from those, once, after loading. */
#ifndef ATTN_MODEL_H
#define ATTN_MODEL_H

#include "attn/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum attn_dtype {
  ATTN_F32 = 0,
  ATTN_I32 = 1,
  ATTN_BOOL = 2, /* one byte, 0 or 1 */
  ATTN_PACKED_WEIGHT = 3, /* of a kernel's tensors alone */
  ATTN_BF16 = 4, /* two bytes; what is stored in it was rounded to nearest even, and is computed with in f32 */
  ATTN_F16 = 5   /* the same */
} attn_dtype;

/* Bytes of an element, an attn_dtype. */
static inline int64_t attn_element_bytes(int32_t dtype) {
  return dtype == ATTN_BOOL ? 1 : dtype == ATTN_BF16 || dtype == ATTN_F16 ? 2 : 4;
}

/* coefficient * dimensions[factors[0]] * dimensions[factors[1]] * ... */
typedef struct attn_size_term {
  int64_t coefficient;
  const int32_t *factors; /* factor_count of them */
  int64_t factor_count;
} attn_size_term;

/* One size of a tensor, the sum of its terms: 2*n*m + 1 has two, a plain number one without factors. */
typedef struct attn_size_info {
  const attn_size_term *terms;
  int64_t term_count;
} attn_size_info;

typedef struct attn_tensor_info {
  const char *name;
  const attn_size_info *shape; /* rank of them */
  int32_t dtype;               /* an attn_dtype */
  int32_t rank;
} attn_tensor_info;

typedef struct attn_dimension_info {
  const char *name;
  int64_t max; /* largest value allowed, or -1 */
  int64_t min; /* smallest value allowed */
} attn_dimension_info;

/* Of a call with these dimensions, which are in range. */
typedef int64_t (*attn_flops_fn)(const int64_t *dimensions);

typedef struct attn_entry_info {
  const char *name;
  attn_entry_fn run;
  attn_arena_bytes_fn arena_bytes;
  const attn_dimension_info *dimensions;
  const attn_tensor_info *tensors; /* inputs, then results */
  int32_t dimension_count;
  int32_t input_count;
  int32_t result_count;
  int32_t updates; /* 1: it changes parameters and states, as a step of training does */
  int32_t state_count; /* the last of the inputs: memory that lives from call to call, updated in place */
  int32_t take_back; /* positions that can be taken back from the states; 0: any number */
  attn_flops_fn flops; /* floating-point operations that the kernels of one call do */
} attn_entry_info;

typedef enum attn_init {
  ATTN_INIT_CONSTANT = 0, /* a */
  ATTN_INIT_NORMAL = 1,   /* mean a, deviation b */
  ATTN_INIT_UNIFORM = 2   /* from a to b */
} attn_init;

/* A parameter, or a list of them: product(counts) consecutive places of the parameter table, the last index fastest. */
typedef struct attn_parameter_info {
  const char *name;       /* path in the model, such as "blocks.norm1.gain" */
  const char *checkpoint; /* name in a weights file; {0}, {1} stand for the list indices */
  const int64_t *shape;   /* rank of them */
  const int64_t *counts;  /* list_rank of them */
  const void *embedded;   /* the values inside the object, or null */
  double init_a, init_b;
  int32_t init; /* an attn_init */
  int32_t dtype;
  int32_t rank;
  int32_t list_rank;
  int64_t first; /* its first place in the parameter table */
  int32_t state; /* 1: of training alone, as an optimizer's moments; entry points that update read it */
  int32_t unread; /* 1: no entry point reads it as it is loaded, but packed forms of it at most */
} attn_parameter_info;

/* A tensor of a kernel, as attn_kernel_args has it. */
typedef struct attn_kernel_tensor {
  const int64_t *shape; /* rank of them; -1 stands for the next of attn_kernel_args::sizes */
  int32_t dtype;        /* an attn_dtype; ATTN_PACKED_WEIGHT where the kernel wants it in an order of its own */
  int32_t rank;
} attn_kernel_tensor;

/* A kernel by its phases, so that an executor can name what it runs and look at what was computed. */
typedef struct attn_kernel_info {
  const char *name;
  const char *kind;
  const char *places; /* of the model that it computes: "gpt.attn:31:14, nn.attn:50:3" */
  const attn_kernel_fn *phases;
  const attn_kernel_tensor *tensors; /* operands, then results */
  int64_t phase_count;
  int32_t operand_count;
  int32_t result_count;
} attn_kernel_info;

/* A phase of a kernel as a device has it: a function of an image, a block of threads a chunk. Its parameters are 8
 * bytes each: the buffers and sizes of attn_kernel_args, then `shared` and `status`, all in the device's memory.
 * The status there has two words, of which a call answers the second where it is not ATTN_OK, otherwise the first:
 * kernels write the first, and looking for room in caches, which comes before them, the second. */
typedef struct attn_device_phase {
  attn_kernel_fn phase; /* what an executor is handed; a processor that calls it answers ATTN_UNSUPPORTED */
  const char *name;
  int32_t threads; /* of a block */
  int32_t buffer_count;
  int32_t size_count;
  int32_t block_bytes; /* shared memory that a launch gives each block, besides what the function has itself */
  uint64_t images; /* bit i: attn_device_code::images[i] has the function; with an image that has not, nothing runs */
} attn_device_phase;

/* The functions as devices of some architectures run them. */
typedef struct attn_device_image {
  const char *target; /* "sm_80" runs on that and all newer ones, "sm_90a" on that alone */
  const char *ptx;    /* text that the device's driver compiles */
} attn_device_image;

/* The kernels of a model that a device runs, and what lies between them: copies, appends to caches. */
typedef struct attn_device_code {
  const attn_device_image *images; /* of those that a device can run the last is made for it */
  int64_t image_count;
  const attn_device_phase *phases;
  int64_t phase_count;
  /* An executor that is handed this waits for what it has launched, copies the int32_t at buffers[0] to `shared`, which
   * is memory of the host, and sets *status, of the host too, where a kernel or the device has failed. Null where no
   * entry point wants that. */
  attn_kernel_fn fetch;
} attn_device_code;

typedef struct attn_model {
  uint32_t abi_version; /* ATTN_ABI_VERSION of the compiler */
  const char *name;
  const char *target;
  const char *identity; /* a hash of the code: training that goes on in the same object repeats itself to the bit */
  const attn_entry_info *entries;
  const attn_parameter_info *parameters;
  const attn_kernel_info *kernels;
  const int64_t *packed_bytes;             /* packed_count of them: sizes of the packed weights */
  attn_prepare_fn prepare;                 /* null where nothing is packed */
  attn_arena_bytes_fn prepare_arena_bytes; /* scratch of prepare; its dimensions are null */
  int64_t entry_count;
  int64_t parameter_count; /* elements of `parameters` */
  int64_t kernel_count;
  int64_t loaded_count; /* places of the parameter table that a file fills; the packed ones follow */
  int64_t packed_count;
  const attn_device_code *device; /* null where processors run the kernels */
  uint64_t features;              /* of the processor that its code needs: bits of attn/processor.h */
} attn_model;

#ifdef __cplusplus
}
#endif
#endif
