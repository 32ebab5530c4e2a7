/* Parser of the JSON header of a .safetensors file, which accepts only the JSON that the format uses, and in the
 * metadata the values that attn_json_skip accepts; and the names of element types in the header. The header is
 * untrusted. */
#ifndef ATTN_SAFETENSORS_HEADER_H
#define ATTN_SAFETENSORS_HEADER_H

#include "attn/safetensors.h"

#include <stdio.h>

#define ATTN_METADATA "__metadata__" /* the key of the header that names no tensor */

/* A parsed header, which owns the memory that it points to. An empty one is all zeros. */
typedef struct attn_header {
  attn_file_tensor *tensors;  /* an array of `count`, in the order of the header */
  attn_file_tensor **by_name; /* pointers to the same tensors, sorted by strcmp of their names */
  int64_t count;
  char *names;     /* memory of the tensors' names */
  char object[40]; /* "attnc.object" of the metadata: attn_model.identity of the model that was saved; empty if
                      the metadata have no such string of at most 39 bytes */
} attn_header;

/* Parses the `text_bytes` bytes at `text`, the JSON alone, without the 8 bytes of its length. `data_bytes` is the
 * number of bytes of tensors that follow in the file. `file` is its name in messages. Names in the result are distinct,
 * shapes have at most ATTN_MAX_RANK dimensions, the tensors cover the data exactly once, and each has the bytes that
 * its shape and type imply. Takes O(n log n) time for n tensors. Returns ATTN_BAD_FILE if the header is not of this
 * form, or ATTN_NO_MEMORY; after an error *header is empty. On success the status is unchanged, and the caller frees
 * *header. */
attn_code attn_header_parse(const char *file, const char *text, uint64_t text_bytes, uint64_t data_bytes,
                            attn_header *header, attn_status *status);
/* Checks that the tensors of a header, which has no by_name yet, cover `data_bytes` bytes of data exactly once and have
 * distinct names; otherwise returns ATTN_BAD_FILE. Creates by_name, also for most errors, or returns ATTN_NO_MEMORY. On
 * success the status is unchanged. */
attn_code attn_header_check(const char *file, attn_header *header, uint64_t data_bytes, attn_status *status);
/* Frees the memory of a header, which is then empty. */
void attn_header_free(attn_header *header);

/* Writes the key and the description of a tensor whose data begin at `offset`; returns the offset after them. `dtype`
 * is a name of the format. */
int64_t attn_header_write(FILE *out, const char *name, const char *dtype, const int64_t *shape, int32_t rank,
                          int64_t offset, int64_t bytes);

/* Returns the name that the format has for an attn_dtype, such as "F32"; "unknown" for other numbers. */
const char *attn_dtype_file_name(int32_t dtype);

#endif
