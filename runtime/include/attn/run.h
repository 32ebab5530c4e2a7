/* Calling an entry point with everything checked: ranks, shapes, element types, bounds, arena. */
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

/* What a call computes with. One context serves one call at a time; two threads use two of them with two arenas. */
typedef struct attn_context {
  attn_weights *weights;         /* null for a model without parameters; changed by entry points that train alone */
  const attn_executor *executor; /* null: the calling thread; of one worker at least */
  void *arena;                   /* ATTN_ALIGNMENT-aligned */
  int64_t arena_bytes;
} attn_context;

/* The entry point's number by name, or -1: also for a null pointer, and for a model of another ABI version. */
int64_t attn_find_entry(const attn_model *model, const char *name);

/* Runs entry point number `entry`; `tensors` are its inputs, then its results. Where a call that trains ends in
 * ATTN_OUT_OF_RANGE, the parameters are undefined: load what was saved. */
attn_code attn_run(const attn_model *model, int64_t entry, const attn_context *context, const attn_tensor *tensors,
                   int64_t tensor_count, attn_status *status);

/* The values of the entry's dynamic dimensions that the shapes of `tensors` (its inputs at least) imply, checked.
 * `dimensions` has room for attn_entry_info.dimension_count of them. */
attn_code attn_infer_dimensions(const attn_model *model, int64_t entry, const attn_tensor *tensors,
                                int64_t tensor_count, int64_t *dimensions, attn_status *status);

/* One size of a tensor for given dimensions, which may be null for a plain number; INT64_MAX where it is beyond 64
 * bits, or a pointer that it needs is null. */
int64_t attn_size(const attn_size_info *size, const int64_t *dimensions);

/* The number of the dimension that a size is and nothing else, or -1, also for null. */
int64_t attn_size_dimension(const attn_size_info *size);

#ifdef __cplusplus
}
#endif
#endif
