/* Weights in memory: the record behind attn_weights, which weights.c and the library `files` fill, pack and save. */
#ifndef ATTN_WEIGHTS_RECORD_H
#define ATTN_WEIGHTS_RECORD_H

#include "attn/weights.h"

#include <stddef.h>

struct attn_weights {
  const attn_model *model;
  const void **table; /* the parameter table */
  char *values;       /* memory of loaded or drawn values; null if the caller or the object owns them */
  size_t values_bytes;
  char *packed;       /* memory of packed weights; null if the model has none */
  size_t packed_bytes;
  int keeps_values; /* values that kernels read only packed are stored in `values` too */
  int trainable;    /* training steps may update all values; states of training are in memory too */
  int stale;        /* values have changed since they were packed */
  int64_t packings; /* number of packings */
};

/* Creates weights with null pointers in the table. Checks the arguments, model and executor; *out is null after an
 * error. */
attn_code attn_weights_create(const attn_model *model, const attn_executor *executor, attn_weights **out,
                              attn_status *status);

/* Returns the number of elements that a parameter has in the parameter table: one for each entry of its list. */
int64_t attn_entries(const attn_parameter_info *parameter);
/* Return the elements and bytes of one entry. */
int64_t attn_parameter_elements(const attn_parameter_info *parameter);
size_t attn_parameter_bytes(const attn_parameter_info *parameter);
/* Returns the bytes of the longest name that attn_parameter_name writes for the model, including the final zero. */
size_t attn_name_bytes(const attn_model *model);

/* Returns 1 if a parameter is stored in `values`: a state of training if the weights are trainable, another parameter
 * if kernels read it as loaded or values are kept. */
int attn_is_stored(const attn_weights *weights, const attn_parameter_info *parameter);
/* Allocates `values` and sets the table elements of all stored parameters to addresses in it. The values are zeros.
 * `source` is the model or file in messages. */
attn_code attn_reserve_values(attn_weights *weights, const char *source, attn_status *status);
/* Allocates `packed` and sets the table elements of packed weights to addresses in it; does nothing for a model without
 * packed weights. */
attn_code attn_reserve_packed(attn_weights *weights, attn_status *status);
/* Runs `prepare`, if the model has it, which packs values of the table. Counts a packing; the weights are then not
 * stale. `executor` is not null. */
attn_code attn_fill_packed(attn_weights *weights, const attn_executor *executor, attn_status *status);

#endif
