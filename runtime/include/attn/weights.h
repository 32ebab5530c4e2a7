/* Weights of a model in memory: loaded from a file or drawn from their initialisers, then packed for its kernels.
 * `executor` is null for the calling thread. */
#ifndef ATTN_WEIGHTS_H
#define ATTN_WEIGHTS_H

#include "attn/model.h"
#include "attn/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct attn_weights attn_weights;

enum {
  ATTN_ALLOW_EXTRA = 1, /* the file may have tensors that are no parameters of the model */
  ATTN_TRAINABLE = 2,   /* entry points may update the values; states of training are loaded as well */
  ATTN_KEEP_VALUES = 4  /* values that kernels read only packed stay in memory, to be saved or read by the caller */
};

/* Loads every parameter from a .safetensors file and packs those that kernels read packed. The file is read, not
 * mapped, and closed: later changes of it have no effect. F16 and BF16 are widened. A missing or misshapen parameter,
 * or a tensor that is no parameter of the model, is ATTN_BAD_WEIGHTS with a message that names file, tensor, expected
 * and found; then nothing is loaded. States of training are loaded only with ATTN_TRAINABLE; where the file has none,
 * they start anew. Without ATTN_KEEP_VALUES and ATTN_TRAINABLE, values that kernels read only packed are freed once
 * they are packed: they are null in the parameter table. */
attn_code attn_weights_load(const attn_model *model, const char *path, int32_t flags, const attn_executor *executor,
                            attn_weights **weights, attn_status *status);
/* Draws every parameter from its initialiser, and starts the states of training; the result can be trained. The value
 * of an element depends only on the seed, the parameter's checkpoint name and the element's index. */
attn_code attn_weights_initialise(const attn_model *model, uint64_t seed, const attn_executor *executor,
                                  attn_weights **weights, attn_status *status);
/* Uses the values inside the object (compiled with --embed-weights). */
attn_code attn_weights_embedded(const attn_model *model, const attn_executor *executor, attn_weights **weights,
                                attn_status *status);
/* Uses the caller's memory: `table` has model->loaded_count pointers, which must outlive the result. Entry points that
 * train write to it; where they are not called, pointers to states may be null. */
attn_code attn_weights_from_table(const attn_model *model, const void *const *table, const attn_executor *executor,
                                  attn_weights **weights, attn_status *status);
/* Null is fine. */
void attn_weights_free(attn_weights *weights);

/* Packs the weights again after training, or after the caller has changed values. Packed weights whose values were
 * freed (attn_weights_load) stay as they are. Between training and this call, entry points that read packed weights
 * return ATTN_BAD_WEIGHTS. Devices that were opened with these weights (attn/cuda.h) copy them again at their next
 * calls. */
attn_code attn_weights_repack(attn_weights *weights, const attn_executor *executor, attn_status *status);

enum {
  ATTN_SAVE_STATES = 1 /* with the states of training, so that training can go on */
};

/* Writes parameters to a .safetensors file under their checkpoint names. The file is written beside `path` under
 * another name, synced and renamed, so that `path` is always the old file or the whole new one. It is the new one after
 * ATTN_OK, and also after an ATTN_BAD_FILE whose cause is that the folder of `path` could not be synced.
 * ATTN_BAD_WEIGHTS, and nothing is written, where values were freed (attn_weights_load), two parameters have one name,
 * or a parameter has the name "__metadata__", which the format reserves. */
attn_code attn_weights_save(const attn_weights *weights, const char *path, int32_t flags, attn_status *status);

/* The parameter table of attn_frame: loaded_count + packed_count pointers. They are null for states of training that
 * were not loaded, and for values that were freed. The result is null for null. */
const void *const *attn_weights_table(const attn_weights *weights);
/* Null for null. */
const attn_model *attn_weights_model(const attn_weights *weights);
/* Writes the name of list entry `entry` of a parameter in files. Returns its length as snprintf does, and -1 for a null
 * parameter. Nothing is written to a null `buffer`. */
int attn_parameter_name(const attn_parameter_info *parameter, int64_t entry, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
