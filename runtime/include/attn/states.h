/* Truncation and reordering of rows in the states of `incremental` entry points, for speculative decoding and beam
 * search. */
#ifndef ATTN_STATES_H
#define ATTN_STATES_H

#include "attn/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Truncates each row b, 0 <= b < rows, to its first to[b] positions: length[b] becomes to[b]. `length` is the list that
 * the caller passes to the entry point; the states themselves are not needed.
 *
 * States that are ring buffers store only the last positions of a row. If an entry point has one, its take_back
 * (attn_entry_info) is above 0, and a row can be truncated only to 0, or to a to[b] that is at most take_back below the
 * largest length that the row has had. States do not record this length, so the caller has to add earlier truncations
 * of a row. This function compares with length[b]. It returns ATTN_OUT_OF_RANGE, and changes no length, if to[b] is
 * negative or larger than length[b], or if take_back and to[b] are above 0 and length[b] - to[b] exceeds take_back. */
attn_code attn_states_truncate(const attn_model *model, int64_t entry, int64_t rows, int32_t *length,
                               const int32_t *to, attn_status *status);

/* Copies the states of row from[b] to row b, for all rows at once, as they were before the call; several rows may copy
 * one row. `states` are the attn_entry_info.state_count states, in host memory (attn_cuda_states_reorder of attn/cuda.h
 * is for states on a device), `rows` is the name of the dimension of rows, such as "batch", and `from` has an element
 * for each row. Returns ATTN_BAD_ARGUMENT if a state has no such dimension, ATTN_OUT_OF_RANGE if from[b] is no row;
 * nothing is copied after an error. The caller reorders lengths and all other data of a row. */
attn_code attn_states_reorder(const attn_model *model, int64_t entry, const char *rows, const attn_tensor *states,
                              const int32_t *from, attn_status *status);

#ifdef __cplusplus
}
#endif
#endif
