/* Calls of entry points of models for processors. attn_run checks all arguments of a call against the description of
 * the model (attn/model.h), then runs the compiled code. attn/cuda.h has the calls of models for devices. */
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
  void *data;                   /* aligned to its elements; may be null if the tensor has no elements */
  int64_t shape[ATTN_MAX_RANK]; /* `rank` sizes in elements, outermost first */
  int32_t dtype;                /* an attn_dtype */
  int32_t rank;
} attn_tensor;

/* Parameters, threads and memory of a call. The caller owns the record and its memory. A context and its arena serve
 * one call at a time. Threads that call at the same time need a context and an arena each; they may share weights,
 * unless one of the calls is a training step, and an executor that several threads may use, such as that of a pool. An
 * arena needs no initial contents, and keeps nothing between calls. */
typedef struct attn_context {
  attn_weights *weights;         /* null for a model without parameters; training steps change them */
  const attn_executor *executor; /* null: the calling thread, one worker */
  void *arena;                   /* ATTN_ALIGNMENT-aligned; may be null for a call that needs 0 bytes */
  int64_t arena_bytes;           /* at least attn_entry_info.arena_bytes(dimensions, executor->workers) */
} attn_context;

/* Returns the number of the entry point with that name; -1 if there is none, for a null pointer, and for a model of
 * another ABI version. */
int64_t attn_find_entry(const attn_model *model, const char *name);

/* Runs entry point number `entry` and returns when it is done. `tensors` are its inputs, then its results; the caller
 * provides their memory. Results and states (the last inputs) overlap no other tensor, and data is aligned to its
 * elements; these two conditions are not checked.
 *
 * Checks the other arguments first. ATTN_BAD_ARGUMENT: a null pointer, an invalid entry point, number of tensors, rank,
 * shape, element type or dimension, an executor without workers, an arena beyond 64 bits, missing weights or weights of
 * another model. ATTN_UNSUPPORTED: another ABI version, a missing processor feature, a model for a device, or an entry
 * point beyond the limits of attn/abi.h. ATTN_BAD_ARENA: a null, misaligned or too small arena. ATTN_BAD_WEIGHTS: a
 * training step with weights that are not trainable, or another call of a model with packed weights after training
 * without attn_weights_repack. After these codes and after ATTN_FULL, nothing is written.
 *
 * After ATTN_OUT_OF_RANGE, and after an ATTN_BAD_ARGUMENT of a kernel whose code requires sizes of 32 bits, results are
 * undefined, and so are states that are not key-value caches. A cache keeps the positions before those of the call; a
 * ring buffer keeps them only if the call has at most take_back positions. If the call was a training step, the
 * parameters are undefined too: load a checkpoint. */
attn_code attn_run(const attn_model *model, int64_t entry, const attn_context *context, const attn_tensor *tensors,
                   int64_t tensor_count, attn_status *status);

/* Infers the dynamic dimensions of an entry point from the shapes of `tensors`: the first tensor_count of its inputs
 * and results, usually its inputs. Checks them as attn_run does, also that no data pointer of a tensor with elements
 * is null, and returns its codes. ATTN_BAD_ARGUMENT also means that none of these tensors has a size a*n + b for a
 * dynamic dimension n. `dimensions` has room for attn_entry_info.dimension_count values, which
 * are undefined after an error. */
attn_code attn_infer_dimensions(const attn_model *model, int64_t entry, const attn_tensor *tensors,
                                int64_t tensor_count, int64_t *dimensions, attn_status *status);

/* Returns the value of a size, in elements, for `dimensions`: one value for each dimension of the entry point, or null
 * if the size is a constant. Returns INT64_MAX if the value exceeds 64 bits, if `size` is null, or if `dimensions` is
 * null and the size is not a constant. */
int64_t attn_size(const attn_size_info *size, const int64_t *dimensions);

/* Returns the number of the dimension that a size is equal to, such as that of `seq` for the size `seq`; -1 for
 * constants, sums, products, multiples and null. */
int64_t attn_size_dimension(const attn_size_info *size);

#ifdef __cplusplus
}
#endif
#endif
