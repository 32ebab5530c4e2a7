/* What callers do to the states of entry points made by `incremental`, beside calling them: take positions back, as
 * speculation does, and give rows the states of others, as a search over beams does. */
#ifndef ATTN_STATES_H
#define ATTN_STATES_H

#include "attn/run.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Row b, of length[b] positions, keeps the first to[b] of them: length[b] becomes to[b]. States that are rings have the
 * last positions alone, so that a row can lose attn_entry_info.take_back of them, counted from the furthest that it has
 * had, or all; where one would lose more, this is ATTN_OUT_OF_RANGE, and no length changes. */
attn_code attn_states_truncate(const attn_model *model, int64_t entry, int64_t rows, int32_t *length,
                               const int32_t *to, attn_status *status);

/* Row b gets what row from[b] has in the states of an entry point, for all rows at once; a row may be taken by several.
 * `states` are attn_entry_info.state_count tensors, `rows` is the name of the dimension that numbers rows, as "batch".
 * Lengths, and what else belongs to a row, are the caller's to move. */
attn_code attn_states_reorder(const attn_model *model, int64_t entry, const char *rows, const attn_tensor *states,
                              const int32_t *from, attn_status *status);

#ifdef __cplusplus
}
#endif
#endif
