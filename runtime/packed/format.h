/* The format of files of packed weights (attn/packed.h), for its reader and its writer. */
#ifndef ATTN_PACKED_FORMAT_H
#define ATTN_PACKED_FORMAT_H

#include "safetensors_header.h"

/* The begin of the header, by which the reader recognises the format. */
#define ATTN_PACKED_BEGIN "{\"" ATTN_METADATA "\":{\"attnc.packed\":"

enum { ATTN_PACKED_HEADER_UNIT = 4096 }; /* the data begin at a multiple of it */

/* Returns 1 if the entries of a parameter are in the file as loaded. */
static inline int attn_is_packed_value(const attn_parameter_info *parameter) {
  return !parameter->state && !parameter->unread;
}

/* Returns the parameter that has element `number` of the parameter table. */
const attn_parameter_info *attn_parameter_of(const attn_model *model, int64_t number);
/* Returns the name of packed weight `number` in the file, which the caller frees; null without memory. */
char *attn_packed_name(const attn_model *model, int64_t number);

#endif
