/* Parser of the JSON header of a .safetensors file. It accepts only the JSON that the format uses. Names of element
 * types in the header. */
#ifndef ATTN_SAFETENSORS_HEADER_H
#define ATTN_SAFETENSORS_HEADER_H

#include "attn/safetensors.h"

/* A parsed header, which owns the memory that it points to. */
typedef struct attn_header {
  attn_file_tensor *tensors;  /* in the order of the header */
  attn_file_tensor **by_name; /* the same tensors, sorted by strcmp of their names */
  int64_t count;
  char *names;     /* memory of the names */
  char object[40]; /* "attnc.object" of the metadata: attn_model.identity of the writer; or empty */
} attn_header;

/* Parses the `text_bytes` bytes at `text`, the JSON alone; `data_bytes` bytes of tensors follow it in the file, which
 * messages refer to as `file`. The tensors of the result cover the data exactly once, and each has the bytes that its
 * shape and type imply. Takes O(n log n) time for n tensors. ATTN_BAD_FILE if the header is corrupt, ATTN_NO_MEMORY;
 * after an error the result is empty. */
attn_code attn_header_parse(const char *file, const char *text, uint64_t text_bytes, uint64_t data_bytes,
                            attn_header *header, attn_status *status);
void attn_header_free(attn_header *header);

/* Returns the name in the format of an attn_dtype, such as "F32"; "unknown" for other numbers. */
const char *attn_dtype_file_name(int32_t dtype);

#endif
