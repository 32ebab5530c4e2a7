/* Calls of entry points, with checks of ranks, shapes, element types, bounds and arena. */
#ifndef ATTN_RUN_H
#define ATTN_RUN_H

#include "attn/model.h"
#include "attn/status.h"
#include "attn/weights.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A dense row-major tensor that belongs to the caller. */
typedef struct attn_tensor {
  void *data;
  int64_t shape[ATTN_MAX_RANK];
  int32_t dtype; /* an attn_dtype */
  int32_t rank;
} attn_tensor;

/* Parameters, threads and memory of a call. One context serves one call at a time; two threads use two contexts with
 * two arenas. */
typedef struct attn_context {
  attn_weights *weights;         /* null for a model without parameters; entry points that train change them */
  const attn_executor *executor; /* null: the calling thread; of one worker at least */
  void *arena;                   /* ATTN_ALIGNMENT-aligned */
  int64_t arena_bytes;
} attn_context;

/* The entry point's number by name, or -1: also for a null pointer, and for a model of another ABI version. */
int64_t attn_find_entry(const attn_model *model, const char *name);

/* Runs entry point number `entry`; `tensors` are its inputs, then its results. After ATTN_OUT_OF_RANGE from a
 * call that trains, the parameters are undefined: load a checkpoint. */
attn_code attn_run(const attn_model *model, int64_t entry, const attn_context *context, const attn_tensor *tensors,
                   int64_t tensor_count, attn_status *status);

/* Infers the dynamic dimensions of an entry point from the shapes of `tensors`, at least its inputs, and checks the
 * shapes. `dimensions` has room for attn_entry_info.dimension_count values. */
attn_code attn_infer_dimensions(const attn_model *model, int64_t entry, const attn_tensor *tensors,
                                int64_t tensor_count, int64_t *dimensions, attn_status *status);

/* The value of a size for given dimensions, which may be null for a plain number. INT64_MAX where it is beyond 64 bits,
 * or where a pointer that it needs is null. */
int64_t attn_size(const attn_size_info *size, const int64_t *dimensions);

/* The number of the dimension that a size consists of, or -1; -1 for null. */
int64_t attn_size_dimension(const attn_size_info *size);

#ifdef __cplusplus
}
#endif
#endif
