/* Binary interface (ABI) between generated code and its caller.
 *
 * Generated objects include no header and call no function of the runtime; these records contain everything they read.
 * The runtime (attn/attn.h) fills the records; a program with its own threads or memory can fill them itself. Layouts
 * are fixed for one ATTN_ABI_VERSION. All pointers to tensors address dense row-major elements. */
#ifndef ATTN_ABI_H
#define ATTN_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ATTN_ABI_VERSION 7
/* Limits of attn_run: dimensions of a tensor; inputs and results, and named dimensions, of an entry point. */
#define ATTN_MAX_RANK 8
#define ATTN_MAX_TENSORS 1024
#define ATTN_MAX_DIMENSIONS 256
/* Alignment of arena, scratch and packed weights, in bytes. */
#define ATTN_ALIGNMENT 64
/* Alignment of tensors in device memory, in bytes; in host memory, tensors are aligned to their elements. */
#define ATTN_DEVICE_ALIGNMENT 16

/* The dynamic operands of one kernel launch. The launches of all phases of a kernel have the same. */
typedef struct attn_kernel_args {
  void *const *buffers;  /* the kernel's tensors: operands in order, then results in order */
  const int64_t *sizes;  /* dynamic sizes of those tensors in order (outermost first), then the index operands */
  void *shared;          /* memory shared by all chunks of one launch (partial results); ATTN_ALIGNMENT-aligned */
  int32_t *status;       /* set to an attn_code if data are out of range; never cleared by a kernel */
} attn_kernel_args;

/* A kernel phase: computes chunk number `chunk`. `scratch` belongs to the calling worker alone; its contents are
 * undefined before and after. */
typedef void (*attn_kernel_fn)(const attn_kernel_args *args, int64_t chunk, void *scratch);

/* Runs chunks 0..chunks-1 of a kernel, in any order and on any threads, and returns when all are done. Worker w (0 <= w
 * < workers) receives scratch + w * scratch_stride. */
typedef struct attn_executor {
  void (*parallel_for)(void *self, attn_kernel_fn fn, const attn_kernel_args *args, int64_t chunks, char *scratch,
                       int64_t scratch_stride);
  void *self;
  int64_t workers; /* at least 1 */
} attn_executor;

/* One call of an entry point. */
typedef struct attn_frame {
  void *const *tensors;           /* inputs in order, then results in order */
  const int64_t *dimensions;      /* the entry point's dynamic dimensions, in the order of its descriptor */
  const void *const *parameters;  /* the model's parameter table: as loaded, then as packed by prepare; an entry point
                                     that trains writes through it */
  char *arena;                    /* ATTN_ALIGNMENT-aligned, arena_bytes(dimensions, workers) long */
  const attn_executor *executor;
} attn_frame;

typedef int32_t (*attn_entry_fn)(const attn_frame *frame); /* returns an attn_code */
/* Returns the bytes of the arena of a call, 0 if it needs none. */
typedef int64_t (*attn_arena_bytes_fn)(const int64_t *dimensions, int64_t workers);

/* Packs weights: reads the memory of parameters[0 .. loaded_count), writes that of parameters[loaded_count ..) (see
 * attn/model.h). The frame has no tensors and no dimensions. Returns an attn_code. */
typedef int32_t (*attn_prepare_fn)(const attn_frame *frame);

#ifdef __cplusplus
}
#endif
#endif
