#include "attn/states.h"
#include "internal.h"

#include <stdlib.h>
#include <string.h>

static attn_code check_entry(const attn_model *model, int64_t number, attn_status *status) {
  ATTN_TRY(attn_check_entry(model, number, status));
  const attn_entry_info *entry = &model->entries[number];
  return entry->state_count ? ATTN_OK : attn_fail(status, ATTN_BAD_ARGUMENT, "%s: the entry point has no states",
                                                  entry->name);
}

ATTN_PUBLIC attn_code attn_states_truncate(const attn_model *model, int64_t number, int64_t rows, int32_t *length,
                                           const int32_t *to, attn_status *status) {
  ATTN_TRY(check_entry(model, number, status));
  if (rows != 0) {
    ATTN_TRY(attn_check_pointer(length, "the list of lengths", status));
    ATTN_TRY(attn_check_pointer(to, "the list of lengths to keep", status));
  }
  const attn_entry_info *entry = &model->entries[number];
  if (rows < 0)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: %lld rows, expected at least 0", entry->name, (long long)rows);
  for (int64_t row = 0; row < rows; ++row) {
    if (to[row] < 0 || to[row] > length[row])
      return attn_fail(status, ATTN_OUT_OF_RANGE, "%s: row %lld has %d positions, so it cannot keep %d", entry->name,
                       (long long)row, length[row], to[row]);
    if (entry->take_back > 0 && to[row] > 0 && length[row] - to[row] > entry->take_back)
      return attn_fail(status, ATTN_OUT_OF_RANGE,
                       "%s: row %lld would lose %d positions, but its states store only what the last %d need",
                       entry->name, (long long)row, length[row] - to[row], entry->take_back);
  }
  if (rows > 0)
    memcpy(length, to, (size_t)rows * sizeof *length);
  return attn_succeed(status);
}

/* A copy of row `other` to `row`, or a swap of the two. */
typedef struct {
  int32_t row, other;
  int swap;
} move;

/* Orders in-place moves that set row b to row from[b]. A row is overwritten once no other row still has to copy it; the
 * remaining rows form cycles, which swaps rotate. `waiting` and `moves` have an element for each row. Returns the
 * number of moves. */
static int64_t plan_moves(const int32_t *from, int64_t rows, int32_t *waiting, move *moves) {
  int64_t count = 0;
  memset(waiting, 0, (size_t)rows * sizeof *waiting);
  for (int64_t row = 0; row < rows; ++row)
    if (from[row] != row)
      ++waiting[from[row]];
  for (int64_t row = 0; row < rows; ++row)
    for (int32_t free = (int32_t)row; waiting[free] == 0 && from[free] != free;) {
      moves[count++] = (move){free, from[free], 0};
      waiting[free] = -1;
      int32_t next = from[free];
      if (--waiting[next] != 0 || next > row) /* the outer loop visits a later row itself */
        break;
      free = next;
    }
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

static void move_on_host(void *self, char *row, char *other, size_t bytes, int swap) {
  (void)self;
  if (!swap)
    memcpy(row, other, bytes);
  char part[256];
  for (size_t done = 0; swap && done < bytes; done += sizeof part) {
    size_t size = bytes - done < sizeof part ? bytes - done : sizeof part;
    memcpy(part, row + done, size);
    memcpy(row + done, other + done, size);
    memcpy(other + done, part, size);
  }
}

static void move_rows(const attn_tensor *state, int32_t dimension, const move *moves, int64_t count,
                      const attn_state_mover *mover) {
  int64_t outer = 1, rows = state->shape[dimension];
  int64_t bytes = attn_tensor_bytes(state->dtype, state->shape + dimension + 1, state->rank - dimension - 1);
  for (int32_t d = 0; d < dimension; ++d)
    outer *= state->shape[d];
  for (int64_t i = 0; i < outer && bytes > 0; ++i)
    for (int64_t m = 0; m < count; ++m) {
      char *row = (char *)state->data + (i * rows + moves[m].row) * bytes;
      char *other = (char *)state->data + (i * rows + moves[m].other) * bytes;
      mover->move(mover->self, row, other, (size_t)bytes, moves[m].swap);
    }
}

/* Returns the last dimension of a state with this name, or -1. */
static int32_t rows_dimension(const attn_entry_info *entry, const attn_tensor_info *info, const char *name) {
  int32_t found = -1;
  for (int32_t d = 0; d < info->rank; ++d) {
    int64_t named = attn_size_dimension(&info->shape[d]);
    if (named >= 0 && strcmp(entry->dimensions[named].name, name) == 0)
      found = d;
  }
  return found;
}

/* Checks the states; `*rows` becomes the number of rows that all of them have. */
static attn_code check_states(const attn_entry_info *entry, const char *name, const attn_tensor *states, int64_t *rows,
                              attn_status *status) {
  *rows = -1;
  for (int32_t s = 0; s < entry->state_count; ++s) {
    int32_t number = entry->input_count - entry->state_count + s;
    const attn_tensor_info *info = &entry->tensors[number];
    int32_t dimension = rows_dimension(entry, info, name);
    if (dimension < 0)
      return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: '%s' has no dimension `%s`", entry->name, info->name, name);
    ATTN_TRY(attn_check_kind(entry, number, &states[s], status));
    int64_t found = states[s].shape[dimension];
    *rows = *rows < 0 ? found : *rows;
    if (found != *rows)
      return attn_fail(status, ATTN_BAD_ARGUMENT, "%s: '%s' has %lld rows, but others have %lld", entry->name,
                       info->name, (long long)found, (long long)*rows);
    int64_t bytes = attn_tensor_bytes(info->dtype, states[s].shape, info->rank);
    ATTN_TRY(attn_check_data(entry, number, &states[s], bytes, status));
  }
  return ATTN_OK;
}

attn_code attn_states_move(const attn_model *model, int64_t number, const char *name, const attn_tensor *states,
                           const int32_t *from, const attn_state_mover *mover, attn_status *status) {
  int64_t rows = 0;
  ATTN_TRY(check_entry(model, number, status));
  ATTN_TRY(attn_check_pointer(name, "the name of the dimension of rows", status));
  ATTN_TRY(attn_check_pointer(states, "the list of states", status));
  const attn_entry_info *entry = &model->entries[number];
  ATTN_TRY(check_states(entry, name, states, &rows, status));
  if (rows > 0)
    ATTN_TRY(attn_check_pointer(from, "the list of rows", status));
  for (int64_t row = 0; row < rows; ++row)
    if (from[row] < 0 || from[row] >= rows)
      return attn_fail(status, ATTN_OUT_OF_RANGE, "%s: row %lld is to be row %d, of %lld", entry->name, (long long)row,
                       from[row], (long long)rows);
  const attn_tensor_info *infos = entry->tensors + entry->input_count - entry->state_count;
  int32_t *waiting = malloc((size_t)rows * sizeof *waiting + 1);
  move *moves = malloc((size_t)rows * sizeof *moves + 1);
  int has_memory = waiting && moves;
  if (has_memory) {
    int64_t count = plan_moves(from, rows, waiting, moves);
    for (int32_t s = 0; s < entry->state_count; ++s)
      move_rows(&states[s], rows_dimension(entry, &infos[s], name), moves, count, mover);
  }
  free(waiting);
  free(moves);
  return has_memory ? attn_succeed(status)
                    : attn_fail(status, ATTN_NO_MEMORY, "%s: no memory for the order of %lld rows", entry->name,
                                (long long)rows);
}

ATTN_PUBLIC attn_code attn_states_reorder(const attn_model *model, int64_t number, const char *name,
                                          const attn_tensor *states, const int32_t *from, attn_status *status) {
  attn_state_mover mover = {move_on_host, 0};
  return attn_states_move(model, number, name, states, from, &mover, status);
}
