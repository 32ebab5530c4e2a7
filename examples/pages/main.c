/* Two conversations with a common prompt share the blocks of the prompt, and write into blocks of their own. Prints the
 * blocks in use, and compares the logits with those of the whole texts. */
#include "pages.h"
#include <attn/attn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROWS = 2, LAYERS = 2, DIM = 64, VOCAB = 256, BLOCK = 16, ROW_BLOCKS = 4, BLOCKS = 8, PROMPT = 40, LENGTH = 60 };

static attn_status status;
static attn_context context;
static float keys[LAYERS * BLOCKS * BLOCK * DIM], values[LAYERS * BLOCKS * BLOCK * DIM];
static int32_t table[ROWS][ROW_BLOCKS], length[ROWS], references[BLOCKS]; /* references: rows that have the block */

static void must(attn_code code) {
  if (code == ATTN_OK)
    return;
  fprintf(stderr, "%s\n", status.message);
  exit(1);
}

static int32_t take_block(void) {
  for (int32_t block = 0; block < BLOCKS; ++block)
    if (references[block] == 0) {
      references[block] = 1;
      return block;
    }
  fprintf(stderr, "all blocks are in use\n");
  exit(1);
}

/* Row `row` begins as a copy of row `of`, whose blocks it shares. */
static void share(int row, int of) {
  length[row] = length[of];
  for (int entry = 0; entry * BLOCK < length[of]; ++entry)
    ++references[table[row][entry] = table[of][entry]];
}

/* Copy-on-write: the row gets a block of its own in place of one that other rows read. */
static void own_block(int32_t *block) {
  int32_t from[BLOCKS], copy = take_block();
  for (int32_t each = 0; each < BLOCKS; ++each)
    from[each] = each == copy ? *block : each;
  must(pages_next_reorder(BLOCKS, keys, values, from, &status));
  --references[*block];
  *block = copy;
}

/* Prepares the blocks of the next `count` positions of a row. */
static void grow(int row, int count) {
  for (int position = length[row]; position < length[row] + count; ++position) {
    int32_t *block = &table[row][position / BLOCK];
    if (position % BLOCK == 0)
      *block = take_block();
    else if (references[*block] > 1)
      own_block(block);
  }
}

static int32_t largest(const float *logits) {
  int32_t best = 0;
  for (int32_t token = 1; token < VOCAB; ++token)
    best = logits[token] > logits[best] ? token : best;
  return best;
}

/* The largest difference from the logits of the last position of a whole text. */
static double difference(const int32_t *text, const float *logits) {
  static float whole[LENGTH * VOCAB];
  double most = 0;
  must(pages_logits(&context, 1, LENGTH, text, whole, &status));
  for (int token = 0; token < VOCAB; ++token)
    most = fmax(most, fabs((double)whole[(LENGTH - 1) * VOCAB + token] - (double)logits[token]));
  return most;
}

int main(void) {
  static float first[ROWS * PROMPT * VOCAB], logits[ROWS * VOCAB];
  int64_t bytes[] = {pages_next_prefill_arena_bytes(ROWS, PROMPT, ROW_BLOCKS, BLOCKS, 1),
                     pages_next_arena_bytes(ROWS, ROW_BLOCKS, BLOCKS, 1), pages_logits_arena_bytes(1, LENGTH, 1)};
  for (int i = 0; i < 3; ++i)
    context.arena_bytes = bytes[i] > context.arena_bytes ? bytes[i] : context.arena_bytes;
  context.arena = attn_memory_allocate((size_t)context.arena_bytes);
  must(attn_weights_initialise(&pages_model, 0, 0, &context.weights, &status));

  /* Only the first row reads the prompt; the second row has no positions in this call, and needs no blocks. */
  int32_t text[ROWS][LENGTH], prompt[ROWS][PROMPT] = {{0}}, count[ROWS] = {PROMPT, 0};
  for (int i = 0; i < PROMPT; ++i)
    prompt[0][i] = text[0][i] = text[1][i] = i * 37 % VOCAB;
  grow(0, PROMPT);
  must(pages_next_prefill(&context, ROWS, PROMPT, ROW_BLOCKS, BLOCKS, prompt[0], length, count, table[0], keys, values,
                          first, &status));
  length[0] = PROMPT;
  share(1, 0);

  int32_t token[ROWS] = {'A', 'B'};
  for (int position = PROMPT; position < LENGTH; ++position) {
    for (int row = 0; row < ROWS; ++row) {
      text[row][position] = token[row];
      grow(row, 1);
    }
    must(pages_next(&context, ROWS, ROW_BLOCKS, BLOCKS, token, length, table[0], keys, values, logits, &status));
    for (int row = 0; row < ROWS; ++row) {
      token[row] = largest(logits + row * VOCAB);
      ++length[row];
    }
  }

  int used = 0;
  for (int block = 0; block < BLOCKS; ++block)
    used += references[block] > 0;
  printf("%d blocks for %d texts of %d positions; without sharing %d\n", used, ROWS, LENGTH,
         ROWS * ((LENGTH + BLOCK - 1) / BLOCK));
  for (int row = 0; row < ROWS; ++row)
    printf("text %d: logits differ from those of the whole text by %s\n", row,
           difference(text[row], logits + row * VOCAB) < 1e-4 ? "less than 1e-4" : "MORE THAN 1e-4");
  attn_memory_free(context.arena, (size_t)context.arena_bytes);
  attn_weights_free(context.weights);
  return 0;
}
