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
  void *arena;                   /* ATTN_ALIGNMENT-aligned; may be null for an entry point that needs none */
  int64_t arena_bytes;           /* at least attn_entry_info.arena_bytes(dimensions, workers) */
} attn_context;

/* Returns the number of the entry point with that name; -1 if there is none, for a null pointer, and for a model of
 * another ABI version. */
int64_t attn_find_entry(const attn_model *model, const char *name);

/* Runs entry point number `entry`; `tensors` are its inputs, then its results, whose memory the caller provides. Checks
 * all arguments first: after ATTN_BAD_ARGUMENT, ATTN_BAD_ARENA, ATTN_BAD_WEIGHTS and ATTN_FULL nothing is written.
 * After ATTN_OUT_OF_RANGE the results are undefined, and for a training step the parameters too: load a checkpoint. */
attn_code attn_run(const attn_model *model, int64_t entry, const attn_context *context, const attn_tensor *tensors,
                   int64_t tensor_count, attn_status *status);

/* Infers the dynamic dimensions of an entry point from the shapes of `tensors`: its inputs, or its inputs and results.
 * Checks element types, shapes and bounds as attn_run does, and that only tensors without elements have null data.
 * `dimensions` has room for attn_entry_info.dimension_count values, which are undefined after an error. */
attn_code attn_infer_dimensions(const attn_model *model, int64_t entry, const attn_tensor *tensors,
                                int64_t tensor_count, int64_t *dimensions, attn_status *status);

/* Returns the value of a size for `dimensions`, one value for each dimension of the entry point; null is allowed for a
 * size without factors. INT64_MAX if it exceeds 64 bits, or if a required pointer is null. */
int64_t attn_size(const attn_size_info *size, const int64_t *dimensions);

/* Returns the number of the dimension that a size is equal to; -1 for constants, sums, products and null. */
int64_t attn_size_dimension(const attn_size_info *size);

#ifdef __cplusplus
}
#endif
#endif
