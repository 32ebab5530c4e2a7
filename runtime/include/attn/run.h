/* Calls of entry points, with checks of ranks, shapes, element types, bounds and arena. */
#ifndef ATTN_RUN_H
#define ATTN_RUN_H

#include "attn/model.h"
#include "attn/status.h"
#include "attn/weights.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A dense row-major tensor in memory of the caller. */
typedef struct attn_tensor {
  void *data;
  int64_t shape[ATTN_MAX_RANK];
  int32_t dtype; /* an attn_dtype */
  int32_t rank;
} attn_tensor;

/* Parameters, threads and memory of a call. One context serves one call at a time; two threads use two contexts with
 * two arenas. */
typedef struct attn_context {
  attn_weights *weights;         /* null for a model without parameters; training steps change them */
  const attn_executor *executor; /* with at least one worker; null: the calling thread */
  void *arena;                   /* ATTN_ALIGNMENT-aligned */
  int64_t arena_bytes;
} attn_context;

/* Returns the number of the entry point with that name; -1 if there is none, for a null pointer, and for a model of
 * another ABI version. */
int64_t attn_find_entry(const attn_model *model, const char *name);

/* Runs entry point number `entry`; `tensors` are its inputs, then its results. If a training step returns
 * ATTN_OUT_OF_RANGE, the parameters are undefined: load a checkpoint. */
attn_code attn_run(const attn_model *model, int64_t entry, const attn_context *context, const attn_tensor *tensors,
                   int64_t tensor_count, attn_status *status);

/* Infers the dynamic dimensions of an entry point from the shapes of `tensors`, at least its inputs, and checks the
 * shapes. `dimensions` has room for attn_entry_info.dimension_count values. */
attn_code attn_infer_dimensions(const attn_model *model, int64_t entry, const attn_tensor *tensors,
                                int64_t tensor_count, int64_t *dimensions, attn_status *status);

/* Returns the value of a size for the dimensions, which may be null for a size without factors. INT64_MAX if it exceeds
 * 64 bits, or if a required pointer is null. */
int64_t attn_size(const attn_size_info *size, const int64_t *dimensions);

/* Returns the number of the dimension that a size is equal to, or -1; -1 for null. */
int64_t attn_size_dimension(const attn_size_info *size);

#ifdef __cplusplus
}
#endif
#endif
