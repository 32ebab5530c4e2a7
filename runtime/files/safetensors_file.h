/* The record of an open file of weights. `attnc` makes sets of several files beside those of an index. */
#ifndef ATTN_SAFETENSORS_FILE_H
#define ATTN_SAFETENSORS_FILE_H

#include "safetensors_header.h"

/* A file, or the set of the shards of an index. The data of a set are those of its shards, one after the other. */
struct attn_safetensors {
  attn_header header;  /* for a shard of a set, only the memory of names: the set has the tensors */
  char *name;          /* the path, in messages */
  const char *memory;  /* the bytes of a file in memory; null for an open file */
  int descriptor;      /* an open file, or -1 */
  uint64_t data_start; /* the number of bytes of the file before its data */
  uint64_t data_bytes; /* the number of bytes of the data */
  uint64_t first;      /* the number of bytes of the data of the set before those of this shard; 0 outside of sets */
  attn_safetensors **shards; /* of a set, in the order of the names of files */
  int64_t shard_count;       /* 0 for a file */
};

#endif
