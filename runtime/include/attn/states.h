/* Truncation and reordering of rows in the states of entry points of `incremental`, as speculative decoding and beam
 * search need them. */
#ifndef ATTN_STATES_H
#define ATTN_STATES_H

#include "attn/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Truncates each row b to its first to[b] positions: length[b] becomes to[b].
 *
 * States that are ring buffers hold only the last positions of a row. A row can be truncated to any to[b] that is at
 * most attn_entry_info.take_back below the largest length that it has had, or to 0. This function compares with
 * length[b]: it returns ATTN_OUT_OF_RANGE, and changes no length, where a row would lose more than take_back positions
 * of length[b], or where to[b] is negative or larger than length[b]. Lengths belong to the caller, and states record
 * none. Earlier truncations of a row are therefore not checked: the caller adds them up. */
attn_code attn_states_truncate(const attn_model *model, int64_t entry, int64_t rows, int32_t *length,
                               const int32_t *to, attn_status *status);

/* Copies the states of row from[b] to row b, for all rows at once; several rows may copy one. `states` are
 * attn_entry_info.state_count tensors, `rows` is the name of the dimension of rows, such as "batch". The caller moves
 * lengths and everything else that belongs to a row. */
attn_code attn_states_reorder(const attn_model *model, int64_t entry, const char *rows, const attn_tensor *states,
                              const int32_t *from, attn_status *status);

#ifdef __cplusplus
}
#endif
#endif
