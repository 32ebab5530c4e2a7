/* The JSON header of a .safetensors file, parsed strictly: exactly the grammar the format uses. */
#ifndef ATTN_SAFETENSORS_HEADER_H
#define ATTN_SAFETENSORS_HEADER_H

#include "attn/safetensors.h"

typedef struct attn_header {
  attn_file_tensor *tensors;
  attn_file_tensor **by_name; /* the same, in the order of strcmp */
  int64_t count;
  char *names; /* storage of the tensors' names */
  char object[40]; /* what wrote the file: "attnc.object" of its metadata, or empty */
} attn_header;

/* Parses `text`; behind it the file has `data_bytes` bytes of tensors. On failure nothing is held. `file` names the
 * file in messages. Every tensor's bytes lie inside the data and have the size that shape and type imply. Takes
 * O(n log n) of n tensors. */
attn_code attn_header_parse(const char *file, const char *text, uint64_t text_bytes, uint64_t data_bytes,
                            attn_header *header, attn_status *status);
void attn_header_free(attn_header *header);

#endif
