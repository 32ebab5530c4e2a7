/* Parser of the index of a sharded checkpoint, such as model.safetensors.index.json. A shard is one of the .safetensors
 * files among which the tensors are divided; the index, a JSON object, has the name of the file of each tensor:
 *
 *   {"metadata": {"total_size": 24}, "weight_map": {"a": "1-of-2.safetensors", "b": "2-of-2.safetensors"}}
 *
 * The parser skips all values but weight_map; total_size is wrong in some checkpoints. The index is untrusted. */
#ifndef ATTN_SAFETENSORS_INDEX_H
#define ATTN_SAFETENSORS_INDEX_H

#include "attn/status.h"

#include <stdint.h>

/* An entry of weight_map. */
typedef struct attn_index_entry {
  const char *tensor; /* the name of a tensor */
  const char *file;   /* the name of its shard, a file in the folder of the index */
} attn_index_entry;

/* A parsed index, which owns the memory that it points to. An empty one is all zeros. */
typedef struct attn_index {
  attn_index_entry *entries; /* an array of `count`, distinct, sorted by strcmp of the file and then of the tensor */
  int64_t count;
  int64_t file_count; /* the number of distinct files */
  char *names;        /* memory of the names of tensors and files */
} attn_index;

/* Parses the `text_bytes` bytes at `text`. `path` is the name of the index in messages. The name of each shard in the
 * result contains no '/' and a character other than '.', so that a shard is in the folder of the index; it may be a
 * symbolic link. Takes O(n log n) time for n tensors. Returns ATTN_BAD_FILE if the index is not of this form, or
 * ATTN_NO_MEMORY; after an error *index is empty. On success the status is unchanged, and the caller frees *index. */
attn_code attn_index_parse(const char *path, const char *text, uint64_t text_bytes, attn_index *index,
                           attn_status *status);
/* Frees the memory of an index, which is then empty. */
void attn_index_free(attn_index *index);

#endif
