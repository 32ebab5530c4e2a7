/* Weights in memory: the record behind attn_weights, and functions to allocate and pack its values. weights.c fills it
 * with drawn, embedded and borrowed values, the library `files` with values of a file, which it also saves, `packed`
 * with addresses in a mapped file. `cuda` copies the values to a device. */
#ifndef ATTN_WEIGHTS_RECORD_H
#define ATTN_WEIGHTS_RECORD_H

#include "attn/weights.h"

struct attn_weights {
  const attn_model *model;
  const void **table; /* the parameter table (attn/model.h): loaded_count + packed_count pointers, behind this record */
  char *values;       /* memory of loaded or drawn values, or a mapping of a file; null if others own the values */
  size_t values_bytes;
  char *packed; /* memory of packed weights; null if the model has none, or if they are in a mapped file */
  size_t packed_bytes;
  int keeps_values; /* 1: values that kernels read only packed are stored in `values` too */
  int trainable;    /* 1: training steps may update all values, and the states of training are in memory */
  int stale;        /* 1: a training step has changed values since they were packed; 0 without packed weights */
  int64_t packings; /* number of times that the weights were packed */
};

/* Creates weights whose table has null pointers, without values. The caller frees them with attn_weights_free. Checks
 * the arguments as attn/weights.h specifies; a null executor is valid. *out is null after an error. Leaves the status
 * unchanged if it returns ATTN_OK, as attn_reserve_values and attn_reserve_packed do. */
attn_code attn_weights_create(const attn_model *model, const attn_executor *executor, attn_weights **out,
                              attn_status *status);

/* Returns the number of entries of a parameter (attn_parameter_info), each with an element of the parameter table. */
int64_t attn_entries(const attn_parameter_info *parameter);
/* Return the elements and the bytes of the value of one entry. */
int64_t attn_parameter_elements(const attn_parameter_info *parameter);
size_t attn_parameter_bytes(const attn_parameter_info *parameter);
/* Returns the bytes of the longest name that attn_parameter_name writes for the model, including the final zero. */
size_t attn_name_bytes(const attn_model *model);

/* Returns 1 if attn_reserve_values reserves memory for a parameter, otherwise 0. A state of training is stored if the
 * weights are trainable. Another parameter is stored if kernels read it as loaded, or if `keeps_values` is 1. */
int attn_is_stored(const attn_weights *weights, const attn_parameter_info *parameter);
/* Allocates `values` and sets the table elements of all stored parameters (attn_is_stored) to addresses in it. The
 * values are zeros. Called once, after keeps_values and trainable are set. `source` is the name of the model or file
 * in messages. Returns ATTN_OK or ATTN_NO_MEMORY. */
attn_code attn_reserve_values(attn_weights *weights, const char *source, attn_status *status);
/* Allocates `packed` and sets the table elements of packed weights to addresses in it; does nothing for a model without
 * packed weights. Returns ATTN_OK or ATTN_NO_MEMORY. */
attn_code attn_reserve_packed(attn_weights *weights, attn_status *status);
/* Packs the values of the table: runs attn_model.prepare, if the model has it, on `executor`, which is not null and
 * must skip launches whose value is null in the table. Packed weights in a mapped file are unchanged. Adds 1 to
 * `packings`, also after an error; on success sets `stale` to 0. Returns the code of `prepare`, or ATTN_NO_MEMORY. */
attn_code attn_fill_packed(attn_weights *weights, const attn_executor *executor, attn_status *status);

#endif
