/* Weights: the values of a model's parameters in memory, and the copies that `prepare` packs for its kernels. Values
 * are drawn from their initialisers, in the object, in memory of the caller, or loaded from a file (attn/files.h).
 *
 * The functions that create weights pack them, and set *weights, which the caller frees; *weights is null after an
 * error. They do their work on `executor`; if it is null, on the calling thread. The model has to outlive its weights.
 * Several threads may use weights at the same time, except during a training step, attn_weights_repack and
 * attn_weights_free. Errors of all functions that create weights are ATTN_NO_MEMORY, ATTN_UNSUPPORTED for a model that
 * this processor or this runtime does not support, and ATTN_BAD_ARGUMENT for an executor without workers. */
#ifndef ATTN_WEIGHTS_H
#define ATTN_WEIGHTS_H

#include "attn/model.h"
#include "attn/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The weights of one model. */
typedef struct attn_weights attn_weights;

/* Draws every parameter from its initialiser, and sets the states of training to their initial values; training steps
 * can use the result. The value of an element depends only on the initialiser, the seed, the parameter's checkpoint
 * name (attn_parameter_name) and the element's index. */
attn_code attn_weights_initialise(const attn_model *model, uint64_t seed, const attn_executor *executor,
                                  attn_weights **weights, attn_status *status);
/* Uses the values inside the object, without a copy; ATTN_BAD_WEIGHTS if the model has parameters and the object was
 * compiled without --embed-weights. Training steps cannot use the result. */
attn_code attn_weights_embedded(const attn_model *model, const attn_executor *executor, attn_weights **weights,
                                attn_status *status);
/* Uses the caller's memory. `table` has model->loaded_count pointers to values, in the order of
 * attn_parameter_info.first and of the parameter's element type. The pointers are copied; the values are not, and must
 * outlive the result. Training steps write to the values. Pointers to states of training may be null; training steps
 * then return ATTN_BAD_WEIGHTS. Other null pointers are ATTN_BAD_ARGUMENT. */
attn_code attn_weights_from_table(const attn_model *model, const void *const *table, const attn_executor *executor,
                                  attn_weights **weights, attn_status *status);
/* Frees the weights, but not values of the caller or of the object; null is ignored. */
void attn_weights_free(attn_weights *weights);

/* Packs the weights again, on `executor` (null: the calling thread), after training, or after the caller has changed
 * values. Packed weights whose values were freed (attn_weights_load) are unchanged. Between a training step and this
 * call, attn_run returns ATTN_BAD_WEIGHTS for a model with packed weights, except for training steps. Changes by the
 * caller are not detected. ATTN_NO_MEMORY if there is no memory for the arena of `prepare`; ATTN_BAD_ARGUMENT for an
 * executor without workers. Devices that were opened with these weights (attn/cuda.h) copy them again at their next
 * calls, also those of a model without packed weights. */
attn_code attn_weights_repack(attn_weights *weights, const attn_executor *executor, attn_status *status);

/* Returns the parameter table of attn_frame: loaded_count + packed_count pointers, which live as long as the weights.
 * Pointers are null for states of training that were not loaded, and for freed values. Returns null for null. */
const void *const *attn_weights_table(const attn_weights *weights);
/* Returns the model of the weights; null for null. */
const attn_model *attn_weights_model(const attn_weights *weights);
/* Writes the checkpoint name of entry `entry` of a parameter (0 for a parameter outside of lists) to `buffer`, such as
 * "blocks.2.norm1.gain". As with snprintf, at most `size` bytes are written, including the final zero. Returns the
 * length of the whole name, or -1 for a null parameter. Writes nothing to a null `buffer`. */
int attn_parameter_name(const attn_parameter_info *parameter, int64_t entry, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
