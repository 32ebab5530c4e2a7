/* Truncation and reordering of rows in the states of `incremental` entry points, for speculative decoding and beam
 * search. */
#ifndef ATTN_STATES_H
#define ATTN_STATES_H

#include "attn/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Truncates each row b to its first to[b] positions: length[b] becomes to[b].
 *
 * States that are ring buffers store only the last positions of a row. A row can be truncated to any to[b] that is at
 * most attn_entry_info.take_back below the largest length that it has had, or to 0. This function compares with
 * length[b]: it returns ATTN_OUT_OF_RANGE, and changes no length, if a row would lose more than take_back positions of
 * length[b], or if to[b] is negative or larger than length[b]. States do not record lengths, so earlier truncations of
 * a row are not checked: the caller has to add them. */
attn_code attn_states_truncate(const attn_model *model, int64_t entry, int64_t rows, int32_t *length,
                               const int32_t *to, attn_status *status);

/* Copies the states of row from[b] to row b, for all rows at once; several rows may copy one row. `states` are
 * attn_entry_info.state_count tensors, `rows` is the name of the dimension of rows, such as "batch". The caller
 * reorders lengths and all other data of a row. */
attn_code attn_states_reorder(const attn_model *model, int64_t entry, const char *rows, const attn_tensor *states,
                              const int32_t *from, attn_status *status);

#ifdef __cplusplus
}
#endif
#endif
