/* Weights in memory, as the files that load, pack and save them see them. */
#ifndef ATTN_WEIGHTS_RECORD_H
#define ATTN_WEIGHTS_RECORD_H

#include "attn/weights.h"

#include <stddef.h>

struct attn_weights {
  const attn_model *model;
  const void **table;
  char *values; /* values that are not the caller's */
  size_t values_bytes;
  char *packed;
  size_t packed_bytes;
  int trainable; /* all values, those of states among them, are in `values` */
  int stale;     /* they have changed since they were packed */
  int64_t packings; /* how often they were */
};

/* Weights without values: a table of null pointers. Checks the arguments. */
attn_code attn_weights_create(const attn_model *model, const attn_executor *executor, attn_weights **out,
                              attn_status *status);

int64_t attn_product(const int64_t *sizes, int32_t rank);
size_t attn_aligned(size_t bytes);
/* How many places of the parameter table a parameter has, and the bytes of the values of one. */
int64_t attn_entries(const attn_parameter_info *parameter);
size_t attn_parameter_bytes(const attn_parameter_info *parameter);
/* Room for every name that attn_parameter_name writes of the model's parameters, with its end. */
size_t attn_name_bytes(const attn_model *model);

/* Memory of the packed weights, and their places in the table. */
attn_code attn_reserve_packed(attn_weights *weights, attn_status *status);
/* Makes all packed weights from the loaded ones, in that memory. */
attn_code attn_fill_packed(attn_weights *weights, const attn_executor *executor, attn_status *status);

#endif
