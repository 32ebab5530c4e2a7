/* Internal interface of the runtime, also for the libraries `files` and `cuda`: error messages, argument checks,
 * shapes, moves of rows of states, and the record of training in weights. Functions with a status parameter fill it, as
 * in attn/status.h, except that checks (attn_check_*) leave it unchanged if they return ATTN_OK. Pointers other than
 * the status are not null unless a comment says so. */
#ifndef ATTN_INTERNAL_H
#define ATTN_INTERNAL_H

#include "attn/run.h"
#include "attn/status.h"
#include "attn/weights.h"

#define ATTN_PUBLIC __attribute__((visibility("default")))

/* Returns the value of an expression, an attn_code or a driver's error, from the calling function unless it is 0. */
#define ATTN_TRY(expression)                                                                                           \
  do {                                                                                                                 \
    __typeof__(expression) attn_tried = (expression);                                                                  \
    if (attn_tried)                                                                                                    \
      return attn_tried;                                                                                               \
  } while (0)

/* Error messages -------------------------------------------------------------------------------------------------- */

/* Fills `status`, unless it is null, with `code` and a message that attn_show escapes and shortens; returns `code`. */
attn_code attn_fail(attn_status *status, attn_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Fills `status`, unless it is null, with ATTN_OK and an empty message; returns ATTN_OK. */
attn_code attn_succeed(attn_status *status);

/* Writes a text, which may come from a file, to `out` in at most `size` bytes including the final zero; `size` is at
 * least 4. A byte of a control character or of invalid UTF-8 is written as an escape such as "\x1b". "..." replaces the
 * middle of a text that is too long. */
void attn_show(const char *text, char *out, size_t size);

/* A text by value, for an argument of attn_fail. */
typedef struct attn_text {
  char text[22 * ATTN_MAX_RANK + 3]; /* has room for the longest shape */
} attn_text;
/* Returns a name as attn_show writes it in 120 bytes. attn_shown(name).text lives until the end of the full expression
 * that has the call. */
attn_text attn_shown(const char *name);
/* Returns a shape, such as "[2, 64]"; `rank` is at most ATTN_MAX_RANK. */
attn_text attn_shape(const int64_t *shape, int32_t rank);

/* Element types and sizes of tensors ------------------------------------------------------------------------------- */

/* Returns 1 for the types of ATTN_ELEMENT_TYPES, otherwise 0. */
int attn_is_tensor_dtype(int32_t dtype);
/* Returns the name in messages, such as "f32"; "unknown" for other numbers. */
const char *attn_dtype_name(int32_t dtype);
/* Returns the bytes of a tensor with sizes of at least 0: 0 if a size is 0 or `dtype` is no type of tensors
 * (attn_is_tensor_dtype), INT64_MAX if the product exceeds 64 bits. */
int64_t attn_tensor_bytes(int32_t dtype, const int64_t *shape, int32_t rank);
/* Returns a * b for numbers of at least 0; INT64_MAX if the product exceeds 64 bits. */
static inline int64_t attn_multiply(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/* Argument checks ------------------------------------------------------------------------------------------------- */

/* Checks return ATTN_OK or an error code. */

/* Returns ATTN_BAD_ARGUMENT if `pointer` is null; `what` names it in the message, such as "the model". */
attn_code attn_check_pointer(const void *pointer, const char *what, attn_status *status);
/* Returns ATTN_BAD_ARGUMENT for an executor with fewer than one worker or a null function; a null executor is valid.
 * `name`, in messages, is the model or the entry point that the executor is for. */
attn_code attn_check_executor(const attn_executor *executor, const char *name, attn_status *status);
/* Returns ATTN_UNSUPPORTED if the processor lacks a feature that the model's code requires. */
attn_code attn_check_processor(const attn_model *model, attn_status *status);
/* Checks a model, which may be null: ATTN_BAD_ARGUMENT for null, ATTN_UNSUPPORTED for another ABI version or missing
 * processor features. */
attn_code attn_check_model(const attn_model *model, attn_status *status);
/* Checks the model as attn_check_model does; ATTN_BAD_ARGUMENT if it has no entry point `number`. */
attn_code attn_check_entry(const attn_model *model, int64_t number, attn_status *status);
/* Returns ATTN_BAD_ARGUMENT unless `tensor` has the element type and rank of tensor `number` of the entry point
 * (inputs, then results), and no negative size. */
attn_code attn_check_kind(const attn_entry_info *entry, int32_t number, const attn_tensor *tensor, attn_status *status);
/* Returns ATTN_BAD_ARGUMENT if the data of tensor `number` is null, unless `bytes`, the size of the tensor, is 0. */
attn_code attn_check_data(const attn_entry_info *entry, int32_t number, const attn_tensor *tensor, int64_t bytes,
                          attn_status *status);
/* Returns ATTN_BAD_ARGUMENT if `weights`, which may be null, are null for a model with parameters or are those of
 * another model. `name`, in messages, is the model or the entry point. */
attn_code attn_check_weights(const attn_model *model, const attn_weights *weights, const char *name,
                             attn_status *status);
/* Checks arguments of attn_run, which may be null: model, entry point, `context`, `tensors`, number of tensors and of
 * dimensions, executor, and whether the weights support the call. It checks neither the arena nor the tensors in the
 * list (their types, shapes and data). Returns the codes of attn_run. */
attn_code attn_check_call(const attn_model *model, int64_t number, const attn_context *context,
                          const attn_tensor *tensors, int64_t tensor_count, attn_status *status);

/* Calls ----------------------------------------------------------------------------------------------------------- */

/* Fills `status`, with a message for the code that the compiled code of an entry point returned; returns the code. */
attn_code attn_report(const attn_model *model, const attn_entry_info *entry, attn_code code, attn_status *status);

/* How to move rows of states in the memory that holds them, host or device. `move` receives `self` of this record. It
 * copies `bytes` bytes from `other` to `row` if `swap` is 0, and exchanges the two ranges if `swap` is 1; they do not
 * overlap. */
typedef struct attn_state_mover {
  void (*move)(void *self, char *row, char *other, size_t bytes, int swap);
  void *self;
} attn_state_mover;
/* Implements attn_states_reorder, with its checks and results, by calls of mover->move in an order that needs no other
 * copy of the rows. */
attn_code attn_states_move(const attn_model *model, int64_t entry, const char *rows, const attn_tensor *states,
                           const int32_t *from, const attn_state_mover *mover, attn_status *status);

/* Weights --------------------------------------------------------------------------------------------------------- */

/* Returns 1 if training steps may use the weights, otherwise 0. */
int attn_weights_are_trainable(const attn_weights *weights);
/* Returns 1 if a training step has changed the weights since they were packed, otherwise 0; always 0 for a model
 * without packed weights. */
int attn_weights_are_stale(const attn_weights *weights);
/* Records that a training step changes the weights, until they are packed again; does nothing for a model without
 * packed weights. */
void attn_weights_set_stale(attn_weights *weights);
/* Returns the number of times that the weights were packed, at least 1 once they are created. A copy on a device is
 * outdated if the number was another one when the copy was made. */
int64_t attn_weights_packings(const attn_weights *weights);

#endif
