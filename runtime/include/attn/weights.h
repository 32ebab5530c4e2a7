/* A model's parameters in memory: loaded from a file or drawn from their initialisers, then packed for its kernels. */
#ifndef ATTN_WEIGHTS_H
#define ATTN_WEIGHTS_H

#include "attn/model.h"
#include "attn/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct attn_weights attn_weights;

enum {
  ATTN_ALLOW_EXTRA = 1, /* tensors of the file that the model does not know are left alone */
  ATTN_TRAINABLE = 2    /* values are copied to memory that entry points may update */
};

/* Loads every parameter from a .safetensors file and packs what kernels want packed. F32 is used in place from the
 * mapping; F16 and BF16 are widened into memory. A parameter that is missing or misshapen, or a tensor the model does
 * not know, is ATTN_BAD_WEIGHTS with a message that names file, tensor, expected and found; then nothing is loaded.
 * States of training are loaded with ATTN_TRAINABLE alone; where the file has none of them, they start anew. */
attn_code attn_weights_load(const attn_model *model, const char *path, int32_t flags, const attn_executor *executor,
                            attn_weights **weights, attn_status *status);
/* Draws every parameter from its initialiser, and starts the states of training; all of it can be trained. The draw of
 * an element depends on seed, the parameter's checkpoint name and the element's index alone. */
attn_code attn_weights_initialise(const attn_model *model, uint64_t seed, const attn_executor *executor,
                                  attn_weights **weights, attn_status *status);
/* Uses the values inside the object (compiled with --embed-weights). */
attn_code attn_weights_embedded(const attn_model *model, const attn_executor *executor, attn_weights **weights,
                                attn_status *status);
/* Uses the caller's memory: `table` has model->loaded_count pointers, which must outlive the result. Entry points that
 * train write to it; where they are not called, places of states may be null. */
attn_code attn_weights_from_table(const attn_model *model, const void *const *table, const attn_executor *executor,
                                  attn_weights **weights, attn_status *status);
void attn_weights_free(attn_weights *weights);

/* Packs anew what training or the caller has changed. Behind training, entry points that want packed weights answer
 * ATTN_BAD_WEIGHTS until then. Devices that were opened with these weights (attn/cuda.h) have them anew from their next
 * calls on. */
attn_code attn_weights_repack(attn_weights *weights, const attn_executor *executor, attn_status *status);

enum {
  ATTN_SAVE_STATES = 1 /* the states of training as well, so that it can go on */
};

/* Writes parameters to a .safetensors file under their checkpoint names. The file is written beside `path` under
 * another name, synced and renamed, so that `path` is always whole: what it was or, where this is ATTN_OK, the new one.
 */
attn_code attn_weights_save(const attn_weights *weights, const char *path, int32_t flags, attn_status *status);

/* The parameter table of attn_frame: loaded_count + packed_count pointers. */
const void *const *attn_weights_table(const attn_weights *weights);
const attn_model *attn_weights_model(const attn_weights *weights);
/* Writes the name that list entry `entry` of a parameter has in a file; returns its length as snprintf does. */
int attn_parameter_name(const attn_parameter_info *parameter, int64_t entry, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
