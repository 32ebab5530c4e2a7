/* What the runtime's files share and programs don't see. */
#ifndef ATTN_INTERNAL_H
#define ATTN_INTERNAL_H

#include "attn/run.h"
#include "attn/status.h"
#include "attn/weights.h"

#define ATTN_PUBLIC __attribute__((visibility("default")))

/* Writes a text that may come from a file as messages show it, in `size` bytes with its end: control characters and
 * bytes that are not UTF-8 as "\x1b", and "..." for the middle of what is too long. */
void attn_show(const char *text, char *out, size_t size);

/* The same in the room that a name has in a message: attn_shown(name).text, until the end of the expression. */
typedef struct attn_shown_text {
  char text[120];
} attn_shown_text;
attn_shown_text attn_shown(const char *text);

/* Fills `status` where there is one, with its message as attn_show has it, and returns `code`. */
attn_code attn_fail(attn_status *status, attn_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));
attn_code attn_succeed(attn_status *status);

/* ATTN_BAD_ARGUMENT where `pointer` is null; `what` names it, such as "the model". */
attn_code attn_check_pointer(const void *pointer, const char *what, attn_status *status);
/* ATTN_BAD_ARGUMENT for an executor that is not null and has no worker or no function; `name` is the model or entry
 * point that it is for. */
attn_code attn_check_executor(const attn_executor *executor, const char *name, attn_status *status);
/* The processor has the features that the model's code needs. */
attn_code attn_check_processor(const attn_model *model, attn_status *status);
/* The model is there, of this ABI, and its code can run on this processor. */
attn_code attn_check_model(const attn_model *model, attn_status *status);
/* attn_check_model, and the model has entry point `number`. */
attn_code attn_check_entry(const attn_model *model, int64_t number, attn_status *status);

/* The model has the entry point, and what the call gives besides its shapes serves it. */
attn_code attn_check_call(const attn_model *model, int64_t number, const attn_context *context,
                          const attn_tensor *tensors, int64_t tensor_count, attn_status *status);
/* The tensor has the element type and the rank that the entry point's tensor `number` has, and no negative size. */
attn_code attn_check_kind(const attn_entry_info *entry, int32_t number, const attn_tensor *tensor,
                          attn_status *status);
/* What an entry point ended with, in words. */
attn_code attn_report(const attn_model *model, const attn_entry_info *entry, attn_code code, attn_status *status);

/* An attn_dtype of tensors as messages spell it, such as "f32"; "unknown" for another number. */
const char *attn_dtype_name(int32_t dtype);
int attn_is_tensor_dtype(int32_t dtype);
/* The same as safetensors files spell it, such as "F32". */
const char *attn_dtype_file_name(int32_t dtype);

/* Writes a shape such as "[2, 64]" for messages; ATTN_SHAPE_BYTES hold the longest. */
enum { ATTN_SHAPE_BYTES = 22 * ATTN_MAX_RANK + 3 };
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

/* A file that replaces another when it is whole (weights/replacement.c). It is written in the same directory as
 * NAME.<16 random hexadecimal digits>.part, and locked by flock(2) while its writer lives: what a writer that was
 * killed has left there is removed by the next writer of that file. Each returns 0 or an errno. */
typedef struct attn_replacement {
  int directory, file; /* `file` is to be written by its user */
  const char *name;    /* the end of the path that was given, which outlives this */
  char part[256];
} attn_replacement;
int attn_replacement_begin(attn_replacement *replacement, const char *path);
/* Syncs the file, renames it and syncs its directory. Ends the replacement, also where it fails: what was there before
 * stays, unless it is the directory that could not be synced. */
int attn_replacement_commit(attn_replacement *replacement);
void attn_replacement_abandon(attn_replacement *replacement);

#endif
