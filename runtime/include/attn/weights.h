/* Weights of a model in memory: drawn from their initialisers, in the object, in memory of the caller, or loaded from a
 * file (attn/files.h); then packed for its kernels. If `executor` is null, the calling thread does the work. *weights
 * is null after an error. */
#ifndef ATTN_WEIGHTS_H
#define ATTN_WEIGHTS_H

#include "attn/model.h"
#include "attn/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct attn_weights attn_weights;

/* Draws every parameter from its initialiser, and initialises the states of training; training steps can use the
 * result. The value of an element depends only on the seed, the parameter's checkpoint name and the element's index. */
attn_code attn_weights_initialise(const attn_model *model, uint64_t seed, const attn_executor *executor,
                                  attn_weights **weights, attn_status *status);
/* Uses the values inside the object (compiled with --embed-weights); ATTN_BAD_WEIGHTS if it has none. Training steps
 * cannot use the result. */
attn_code attn_weights_embedded(const attn_model *model, const attn_executor *executor, attn_weights **weights,
                                attn_status *status);
/* Uses the caller's memory: `table`, which is copied, has model->loaded_count pointers to values, which must outlive
 * the result. Training steps write to the values. Pointers to states of training may be null; training steps then
 * return ATTN_BAD_WEIGHTS. Other null pointers are ATTN_BAD_ARGUMENT. */
attn_code attn_weights_from_table(const attn_model *model, const void *const *table, const attn_executor *executor,
                                  attn_weights **weights, attn_status *status);
/* Frees the weights; null is ignored. */
void attn_weights_free(attn_weights *weights);

/* Packs the weights again after training, or after the caller has changed values. Packed weights whose values were
 * freed (attn_weights_load) are unchanged. Between training and this call, entry points of a model with packed weights
 * return ATTN_BAD_WEIGHTS, except training steps. Changes by the caller are not noticed. Devices that were opened with
 * these weights (attn/cuda.h) copy them again at their next calls. */
attn_code attn_weights_repack(attn_weights *weights, const attn_executor *executor, attn_status *status);

/* Returns the parameter table of attn_frame: loaded_count + packed_count pointers. Pointers are null for states of
 * training that were not loaded, and for freed values. Null for null. */
const void *const *attn_weights_table(const attn_weights *weights);
/* Returns the model of the weights; null for null. */
const attn_model *attn_weights_model(const attn_weights *weights);
/* Writes the checkpoint name of list entry `entry` of a parameter, 0 for a single one, to `size` bytes at `buffer`, cut
 * off and with an end as by snprintf. Returns the length of the whole name, and -1 for a null parameter. Writes nothing
 * to a null `buffer`. */
int attn_parameter_name(const attn_parameter_info *parameter, int64_t entry, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
