/* Truncation and reordering of rows in the states of `incremental` entry points, for speculative decoding and beam
 * search. A row is one sequence of the batch. The states are the key-value caches and other memory of the caller that a
 * call updates in place (attn_entry_info.state_count). length[b] is the number of positions that the states of row b
 * hold, an input of the entry point. No call that uses the states may be running. `entry` is the number of the entry
 * point (attn_find_entry). Both functions also return ATTN_BAD_ARGUMENT if there is no such entry point, and
 * ATTN_UNSUPPORTED for a model that this processor or this runtime does not support. */
#ifndef ATTN_STATES_H
#define ATTN_STATES_H

#include "attn/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Truncates each row b, 0 <= b < rows, to its first to[b] positions: length[b] becomes to[b]. `length` and `to` have
 * `rows` elements; `length` is the list that the caller passes to the entry point. The states themselves do not change.
 *
 * A state that is a ring buffer stores only the last positions of a row. If an entry point has a ring buffer, its
 * take_back (attn_entry_info) is above 0. A row can then be truncated to 0, or by at most take_back positions below the
 * largest length that the row has had. The states do not record this length, and the function checks only length[b] -
 * to[b]. A caller that truncates a row repeatedly therefore has to add the truncations.
 *
 * Returns ATTN_OUT_OF_RANGE if to[b] is negative or larger than length[b], or if take_back and to[b] are above 0 and
 * length[b] - to[b] exceeds take_back. Returns ATTN_BAD_ARGUMENT if `rows` is negative or the entry point has no
 * states. After an error no length has changed. */
attn_code attn_states_truncate(const attn_model *model, int64_t entry, int64_t rows, int32_t *length,
                               const int32_t *to, attn_status *status);

/* Sets the states of each row b to those that row from[b] had before the function; several rows may copy one row.
 * `states` are the attn_entry_info.state_count states, in order and in host memory (attn_cuda_states_reorder of
 * attn/cuda.h is for states on a device). `rows` is the name of the dimension of rows, such as "batch"; in a state with
 * several dimensions of that name, the last one counts. All states have the same number of rows, and `from` has an
 * element for each row. The caller reorders lengths and all other data of a row.
 *
 * Returns ATTN_BAD_ARGUMENT if the entry point has no states, or if a state has no dimension `rows`, another number of
 * rows, a negative size, or a wrong rank or element type; other sizes of the states are not checked. Returns
 * ATTN_OUT_OF_RANGE if from[b] is no row. Returns ATTN_NO_MEMORY if there is no memory for the order of the rows. After
 * an error nothing is copied. */
attn_code attn_states_reorder(const attn_model *model, int64_t entry, const char *rows, const attn_tensor *states,
                              const int32_t *from, attn_status *status);

#ifdef __cplusplus
}
#endif
#endif
