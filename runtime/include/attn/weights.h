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
  ATTN_ALLOW_EXTRA = 1 /* tensors of the file that the model does not know are left alone */
};

/* Loads every parameter from a .safetensors file and packs what kernels want packed. F32 is used in place from the
 * mapping; F16 and BF16 are widened into memory. A parameter that is missing or misshapen, or a tensor the model does
 * not know, is ATTN_BAD_WEIGHTS with a message that names file, tensor, expected and found; then nothing is loaded. */
attn_code attn_weights_load(const attn_model *model, const char *path, int32_t flags, const attn_executor *executor,
                            attn_weights **weights, attn_status *status);
/* Draws every parameter from its initialiser. The draw of an element depends on seed, the parameter's checkpoint name
 * and the element's index alone. */
attn_code attn_weights_initialise(const attn_model *model, uint64_t seed, const attn_executor *executor,
                                  attn_weights **weights, attn_status *status);
/* Uses the values inside the object (compiled with --embed-weights). */
attn_code attn_weights_embedded(const attn_model *model, const attn_executor *executor, attn_weights **weights,
                                attn_status *status);
/* Uses the caller's memory: `table` has model->loaded_count pointers, which must outlive the result. */
attn_code attn_weights_from_table(const attn_model *model, const void *const *table, const attn_executor *executor,
                                  attn_weights **weights, attn_status *status);
void attn_weights_free(attn_weights *weights);

/* The parameter table of attn_frame: loaded_count + packed_count pointers. */
const void *const *attn_weights_table(const attn_weights *weights);
/* Writes the name that list entry `entry` of a parameter has in a file; returns its length as snprintf does. */
int attn_parameter_name(const attn_parameter_info *parameter, int64_t entry, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif
#endif
