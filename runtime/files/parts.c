#include "parts.h"
#include "attn/weights.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char mark[] = "[]";

int attn_has_parts(const attn_parameter_info *parameter) {
  return parameter->rank > 0 && strstr(parameter->checkpoint, mark) != 0;
}

int64_t attn_part_count(const attn_parameter_info *parameter) {
  return attn_has_parts(parameter) ? parameter->shape[0] : 1;
}

void attn_part_name(const attn_parameter_info *parameter, int64_t entry, int64_t part, char *name, size_t size) {
  attn_parameter_name(parameter, entry, name, size);
  char *at = strstr(name, mark), number[ATTN_PART_DIGITS];
  if (!at)
    return;
  int digits = snprintf(number, sizeof number, "%" PRId64, part);
  memmove(at + digits, at + 2, strlen(at + 1)); /* the rest, with its zero */
  memcpy(at, number, (size_t)digits);
}
