/* A model's parameters in memory: loaded from a file or drawn from their initialisers, then packed for its kernels.
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
  ATTN_ALLOW_EXTRA = 1, /* tensors of the file that the model does not know are left alone */
  ATTN_TRAINABLE = 2,   /* entry points may update the values; states of training are loaded too */
  ATTN_KEEP_VALUES = 4  /* values that kernels read packed alone stay in memory, to be saved or read by the caller */
};

/* Loads every parameter from a .safetensors file and packs what kernels want packed. The file is read, not mapped, and
 * closed: what becomes of it later does not matter. F16 and BF16 are widened. A parameter that is missing or misshapen,
 * or a tensor the model does not know, is ATTN_BAD_WEIGHTS with a message that names file, tensor, expected and found;
 * then nothing is loaded. States of training are loaded with ATTN_TRAINABLE alone; where the file has none of them,
 * they start anew.
 * Values that kernels read packed alone are given up once they are packed, unless ATTN_KEEP_VALUES or ATTN_TRAINABLE
 * says otherwise: their places in the table are null then. */
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
/* Null is fine. */
void attn_weights_free(attn_weights *weights);

/* Packs anew what training or the caller has changed. A value that was given up (attn_weights_load) can't have changed:
 * its packed form stays, all others are made anew. After training, entry points that want packed weights answer
 * ATTN_BAD_WEIGHTS until then. Devices that were opened with these weights (attn/cuda.h) have them anew from their next
 * calls on. */
attn_code attn_weights_repack(attn_weights *weights, const attn_executor *executor, attn_status *status);

enum {
  ATTN_SAVE_STATES = 1 /* the states of training as well, so that it can go on */
};

/* Writes parameters to a .safetensors file under their checkpoint names. The file is written beside `path` under
 * another name, synced and renamed, so that `path` is always whole: what it was, or the new one. It is the new one
 * where this is ATTN_OK, and also where ATTN_BAD_FILE says that the folder of `path` could not be synced.
 * ATTN_BAD_WEIGHTS, and nothing is written, where values were given up (attn_weights_load), two parameters have one
 * name, or a parameter has the name "__metadata__", which the format reserves. */
attn_code attn_weights_save(const attn_weights *weights, const char *path, int32_t flags, attn_status *status);

/* The parameter table of attn_frame: loaded_count + packed_count pointers. Null are states of training that were not
 * loaded, and values that were given up. Null for null. */
const void *const *attn_weights_table(const attn_weights *weights);
/* Null for null. */
const attn_model *attn_weights_model(const attn_weights *weights);
/* Writes the name that list entry `entry` of a parameter has in a file; returns its length as snprintf does,
 * and -1 for no parameter. With null for `buffer` nothing is written. */
int attn_parameter_name(const attn_parameter_info *parameter, int64_t entry, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
