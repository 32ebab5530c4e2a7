/* Binary interface (ABI) between generated code and its caller.
 *
 * Generated code calls no function of the runtime. It reads these records, and the memory that they point to. attn_run
 * (attn/run.h) fills an attn_frame; a program can also fill the frame and the executor itself. Generated code checks a
 * frame only for dimensions beyond their bounds and for a null arena that it needs; it also checks that caches have
 * room and that indices from data are in range. Layouts are fixed for one ATTN_ABI_VERSION. All pointers to tensors
 * address dense row-major elements. In a model for a device, they are addresses in device memory. */
#ifndef ATTN_ABI_H
#define ATTN_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ATTN_ABI_VERSION 9
/* Limits of attn_run: dimensions of a tensor; inputs plus results of an entry point; dynamic dimensions of an entry
 * point. */
#define ATTN_MAX_RANK 8
#define ATTN_MAX_TENSORS 1024
#define ATTN_MAX_DIMENSIONS 256
/* Alignment of arena, scratch and packed weights, in bytes. */
#define ATTN_ALIGNMENT 64
/* Alignment of tensors in device memory, in bytes; in host memory, tensors are aligned to their elements. */
#define ATTN_DEVICE_ALIGNMENT 16

/* The operands of one launch of a kernel, the same for all its kernel phases. The launching code owns the record, which
 * is valid until parallel_for (attn_executor) returns. */
typedef struct attn_kernel_args {
  void *const *buffers;  /* the kernel's tensors: operands in order, then results in order */
  const int64_t *sizes;  /* dynamic sizes of those tensors in order (outermost first), then the index operands */
  void *shared;          /* memory that all chunks and phases of the launch share (partial results), ATTN_ALIGNMENT-
                            aligned; unspecified if the kernel needs none */
  int32_t *status;       /* a kernel sets it to ATTN_OUT_OF_RANGE if a subscript from data is out of range, to
                            ATTN_BAD_ARGUMENT if sizes are beyond 32 bits and its code requires less, and never clears
                            it; any number of threads may set it. The phases of a model for a device set it to
                            ATTN_UNSUPPORTED if a processor calls them */
} attn_kernel_args;

/* A kernel phase: computes chunk number `chunk`, and calls of several chunks may run at the same time. `scratch`
 * belongs to the calling worker alone; its contents are undefined before and after. It may be null if the phase needs
 * none. */
typedef void (*attn_kernel_fn)(const attn_kernel_args *args, int64_t chunk, void *scratch);

/* The interface through which generated code runs kernel phases. Its implementations are attn_pool_executor and
 * attn_serial_executor (attn/threads.h), attnc::cuda, and programs with their own threads.
 *
 * parallel_for receives `self` of this record. It calls fn(args, chunk, scratch of the worker) once for each chunk from
 * 0 to chunks - 1, in any order and on any threads, and returns when all calls have returned. Worker w (0 <= w <
 * workers) receives scratch + w * scratch_stride; the stride is in bytes. `chunks` may be 0. For a model on a device,
 * parallel_for may return before the chunks are done, if the device executes all launches in order. */
typedef struct attn_executor {
  void (*parallel_for)(void *self, attn_kernel_fn fn, const attn_kernel_args *args, int64_t chunks, char *scratch,
                       int64_t scratch_stride);
  void *self;
  int64_t workers; /* number of pieces of scratch, at least 1 */
} attn_executor;

/* The arguments of one call of an entry point, or of `prepare`. The caller owns all memory. */
typedef struct attn_frame {
  void *const *tensors;           /* inputs in order (states are the last inputs), then results in order; results
                                     and states overlap no other tensor */
  const int64_t *dimensions;      /* the entry point's dynamic dimensions, in the order of its descriptor */
  const void *const *parameters;  /* the model's parameter table: as loaded, then as packed by prepare; an entry point
                                     that trains writes through it */
  char *arena;                    /* ATTN_ALIGNMENT-aligned, arena_bytes(dimensions, executor->workers) bytes long */
  const attn_executor *executor;
} attn_frame;

/* Returns an attn_code. For a model on a device, ATTN_FULL and ATTN_OUT_OF_RANGE may be only in the status on the
 * device (attn_device_phase of attn/model.h), and the code is then ATTN_OK. */
typedef int32_t (*attn_entry_fn)(const attn_frame *frame);
/* Returns the bytes of the arena of a call: 0 if it needs none; INT64_MAX or a negative number if 64 bits overflow, and
 * a negative number if a dimension is outside its bounds or `workers` is below 1. */
typedef int64_t (*attn_arena_bytes_fn)(const int64_t *dimensions, int64_t workers);

/* Packs weights: reads the memory of parameters[0 .. loaded_count), writes the memory of parameters[loaded_count ..
 * loaded_count + packed_count) (attn_model of attn/model.h). `tensors` and `dimensions` of the frame may be null. The
 * first buffer of each launch is the value that the launch packs. Returns an attn_code. */
typedef int32_t (*attn_prepare_fn)(const attn_frame *frame);

#ifdef __cplusplus
}
#endif
#endif
