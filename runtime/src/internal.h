/* What the runtime's files share and programs don't see. */
#ifndef ATTN_INTERNAL_H
#define ATTN_INTERNAL_H

#include "attn/run.h"
#include "attn/status.h"
#include "attn/weights.h"

#define ATTN_PUBLIC __attribute__((visibility("default")))

/* Fills `status` where there is one and returns `code`. */
attn_code attn_fail(attn_status *status, attn_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));
attn_code attn_succeed(attn_status *status);

/* The model is there, of this ABI, and its code can run on this processor. */
attn_code attn_check_model(const attn_model *model, attn_status *status);

/* The model has the entry point, and what the call gives besides its shapes serves it. */
attn_code attn_check_call(const attn_model *model, int64_t number, const attn_context *context,
                          const attn_tensor *tensors, int64_t tensor_count, attn_status *status);
/* What an entry point ended with, in words. */
attn_code attn_report(const attn_model *model, const attn_entry_info *entry, attn_code code, attn_status *status);

/* Writes a shape such as "[2, 64]" for messages. */
const char *attn_shape_text(const int64_t *shape, int32_t rank, char *buffer, int size);

/* How rows of states move: `row` gets the bytes of `other`, or the two change places. */
typedef struct attn_state_mover {
  void (*move)(void *self, char *row, char *other, size_t bytes, int swap);
  void *self;
} attn_state_mover;
/* attn_states_reorder by a mover. */
attn_code attn_states_move(const attn_model *model, int64_t entry, const char *rows, const attn_tensor *states,
                           const int32_t *from, const attn_state_mover *mover, attn_status *status);

/* What a call does to weights: see attn_weights_repack. */
int attn_weights_are_trainable(const attn_weights *weights);
int attn_weights_are_stale(const attn_weights *weights);
void attn_weights_set_stale(attn_weights *weights);
/* How often they were packed: another number tells who has copies of them that they have changed. */
int64_t attn_weights_packings(const attn_weights *weights);

#endif
