#include "attn/states.h"
#include "internal.h"

#include <stdlib.h>
#include <string.h>

static attn_code check_entry(const attn_model *model, int64_t number, attn_status *status) {
  attn_code code = attn_check_entry(model, number, status);
  if (code == ATTN_OK && model->entries[number].state_count == 0)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: the entry point has no states", model->entries[number].name);
  return code;
}

ATTN_PUBLIC attn_code attn_states_truncate(const attn_model *model, int64_t number, int64_t rows, int32_t *length,
                                           const int32_t *to, attn_status *status) {
  attn_code code = check_entry(model, number, status);
  if (code == ATTN_OK && rows != 0)
    code = attn_check_pointer(length, "the list of lengths", status);
  if (code == ATTN_OK && rows != 0)
    code = attn_check_pointer(to, "the list of lengths to keep", status);
  if (code != ATTN_OK)
    return code;
  const attn_entry_info *entry = &model->entries[number];
  if (rows < 0)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: %lld rows, expected no negative number", entry->name,
                     (long long)rows);
  for (int64_t row = 0; row < rows; ++row) {
    if (to[row] < 0 || to[row] > length[row])
      return attn_fail(status, ATTN_OUT_OF_RANGE, "%s: row %lld has %d positions, and cannot keep %d", entry->name,
                       (long long)row, length[row], to[row]);
    if (entry->take_back > 0 && to[row] > 0 && length[row] - to[row] > entry->take_back)
      return attn_fail(status, ATTN_OUT_OF_RANGE,
                       "%s: row %lld would lose %d positions, and its states keep what the last %d need", entry->name,
                       (long long)row, length[row] - to[row], entry->take_back);
  }
  if (rows > 0)
    memcpy(length, to, (size_t)rows * sizeof *length);
  return attn_succeed(status);
}

/* One row gets another's bytes, or they change places. */
typedef struct {
  int32_t row, other;
  int swap;
} move;

/* The moves, one after the other, that give row b what row from[b] has; `waiting` and `moves` have room for one a row.
 */
static int64_t plan_moves(const int32_t *from, int64_t rows, int32_t *waiting, move *moves) {
  int64_t count = 0;
  for (int64_t row = 0; row < rows; ++row)
    waiting[row] = 0;
  for (int64_t row = 0; row < rows; ++row)
    if (from[row] != row)
      ++waiting[from[row]];
  /* Rows that nobody waits for; a copy may free the row that it is of. */
  for (int64_t row = 0; row < rows; ++row)
    for (int32_t free = (int32_t)row; waiting[free] == 0 && from[free] != free;) {
      moves[count++] = (move){free, from[free], 0};
      waiting[free] = -1;
      int32_t next = from[free];
      if (--waiting[next] != 0 || next > row)
        break;
      free = next;
    }
  /* What is left are circles. */
  for (int64_t row = 0; row < rows; ++row)
    for (int32_t at = (int32_t)row; waiting[at] > 0 && from[at] != at;) {
      waiting[at] = -1;
      int32_t next = from[at];
      if (waiting[next] > 0)
        moves[count++] = (move){at, next, 1};
      at = next;
    }
  return count;
}

static void swap_bytes(char *a, char *b, size_t bytes) {
  char part[256];
  for (size_t done = 0; done < bytes; done += sizeof part) {
    size_t size = bytes - done < sizeof part ? bytes - done : sizeof part;
    memcpy(part, a + done, size);
    memcpy(a + done, b + done, size);
    memcpy(b + done, part, size);
  }
}

static void move_on_host(void *self, char *row, char *other, size_t bytes, int swap) {
  (void)self;
  if (swap)
    swap_bytes(row, other, bytes);
  else
    memcpy(row, other, bytes);
}

static void apply(const attn_tensor *state, int32_t dimension, const move *moves, int64_t count,
                  const attn_state_mover *mover) {
  int64_t outer = 1, inner = attn_element_bytes(state->dtype), rows = state->shape[dimension];
  for (int32_t d = 0; d < state->rank; ++d) {
    outer *= d < dimension ? state->shape[d] : 1;
    inner *= d > dimension ? state->shape[d] : 1;
  }
  for (int64_t i = 0; i < outer && inner > 0; ++i)
    for (int64_t m = 0; m < count; ++m) {
      char *row = (char *)state->data + (i * rows + moves[m].row) * inner;
      char *other = (char *)state->data + (i * rows + moves[m].other) * inner;
      mover->move(mover->self, row, other, (size_t)inner, moves[m].swap);
    }
}

/* The dimension of a state that is called `name`, the last where several are, or -1. */
static int32_t rows_dimension(const attn_entry_info *entry, const attn_tensor_info *info, const char *name) {
  int32_t found = -1;
  for (int32_t d = 0; d < info->rank; ++d) {
    int64_t named = attn_size_dimension(&info->shape[d]);
    if (named >= 0 && strcmp(entry->dimensions[named].name, name) == 0)
      found = d;
  }
  return found;
}

/* How many rows all of the states have. */
static attn_code count_rows(const attn_entry_info *entry, const char *name, const attn_tensor *states, int64_t *rows,
                            attn_status *status) {
  *rows = -1;
  for (int32_t s = 0; s < entry->state_count; ++s) {
    int32_t number = entry->input_count - entry->state_count + s;
    const attn_tensor_info *info = &entry->tensors[number];
    int32_t dimension = rows_dimension(entry, info, name);
    if (dimension < 0)
      return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: '%s' has no dimension `%s`", entry->name, info->name, name);
    attn_code code = attn_check_kind(entry, number, &states[s], status);
    if (code != ATTN_OK)
      return code;
    int64_t found = states[s].shape[dimension];
    *rows = *rows < 0 ? found : *rows;
    if (found != *rows)
      return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: '%s' has %lld rows, but others have %lld", entry->name,
                       info->name, (long long)found, (long long)*rows);
    int empty = 0;
    for (int32_t d = 0; d < info->rank; ++d)
      empty = empty || states[s].shape[d] == 0;
    if (!states[s].data && !empty)
      return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: '%s' is a null pointer", entry->name, info->name);
  }
  return ATTN_OK;
}

attn_code attn_states_move(const attn_model *model, int64_t number, const char *name, const attn_tensor *states,
                           const int32_t *from, const attn_state_mover *mover, attn_status *status) {
  int64_t rows = 0;
  attn_code code = check_entry(model, number, status);
  if (code == ATTN_OK)
    code = attn_check_pointer(name, "the name of the dimension of rows", status);
  if (code == ATTN_OK)
    code = attn_check_pointer(states, "the list of states", status);
  if (code == ATTN_OK)
    code = count_rows(&model->entries[number], name, states, &rows, status);
  if (code == ATTN_OK && rows > 0)
    code = attn_check_pointer(from, "the list of rows", status);
  if (code != ATTN_OK)
    return code;
  const attn_entry_info *entry = &model->entries[number];
  const attn_tensor_info *infos = entry->tensors + entry->input_count - entry->state_count;
  for (int64_t row = 0; row < rows; ++row)
    if (from[row] < 0 || from[row] >= rows)
      return attn_fail(status, ATTN_OUT_OF_RANGE, "%s: row %lld is to be row %d, of %lld", entry->name, (long long)row,
                       from[row], (long long)rows);
  int32_t *waiting = malloc((size_t)rows * sizeof *waiting + 1);
  move *moves = malloc((size_t)rows * sizeof *moves + 1);
  if (waiting && moves) {
    int64_t count = plan_moves(from, rows, waiting, moves);
    for (int32_t s = 0; s < entry->state_count; ++s)
      apply(&states[s], rows_dimension(entry, &infos[s], name), moves, count, mover);
  }
  code = waiting && moves ? attn_succeed(status)
                          : attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for the order of %lld rows", entry->name,
                                      (long long)rows);
  free(waiting);
  free(moves);
  return code;
}

ATTN_PUBLIC attn_code attn_states_reorder(const attn_model *model, int64_t number, const char *name,
                                          const attn_tensor *states, const int32_t *from, attn_status *status) {
  attn_state_mover mover = {move_on_host, 0};
  return attn_states_move(model, number, name, states, from, &mover, status);
}
