/* Parts of parameters in files: a parameter whose checkpoint name has "[]" (attn/files.h) has a part for each index of
 * its first dimension. The parts lie one after the other in the value. Every other parameter is one part. */
#ifndef ATTN_PARTS_H
#define ATTN_PARTS_H

#include "attn/model.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns 1 if the parameter has a part for each index of its first dimension. */
int attn_has_parts(const attn_parameter_info *parameter);
/* Returns the number of parts of an entry. */
int64_t attn_part_count(const attn_parameter_info *parameter);
/* Writes the name of a part of an entry to `name`, with a final zero; `size` is at least the length of the entry's name
 * and ATTN_PART_DIGITS. */
void attn_part_name(const attn_parameter_info *parameter, int64_t entry, int64_t part, char *name, size_t size);
enum { ATTN_PART_DIGITS = 24 }; /* at least those of the number of a part */

#ifdef __cplusplus
}
#endif

#endif
