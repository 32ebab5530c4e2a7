#include "internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

ATTN_PUBLIC const char *attn_code_name(attn_code code) {
  switch (code) {
  case ATTN_OK: return "ok";
  case ATTN_BAD_ARGUMENT: return "bad argument";
  case ATTN_BAD_ARENA: return "bad arena";
  case ATTN_BAD_WEIGHTS: return "bad weights";
  case ATTN_BAD_FILE: return "bad file";
  case ATTN_OUT_OF_RANGE: return "index out of range";
  case ATTN_NO_MEMORY: return "no memory";
  case ATTN_UNSUPPORTED: return "unsupported";
  case ATTN_FULL: return "full";
  case ATTN_DEVICE_FAULT: return "device fault";
  }
  return "unknown code";
}

attn_code attn_fail(attn_status *status, attn_code code, const char *format, ...) {
  if (status) {
    va_list arguments;
    va_start(arguments, format);
    status->code = code;
    vsnprintf(status->message, sizeof status->message, format, arguments);
    va_end(arguments);
  }
  return code;
}

attn_code attn_succeed(attn_status *status) {
  if (status) {
    status->code = ATTN_OK;
    status->message[0] = 0;
  }
  return ATTN_OK;
}

const char *attn_shape_text(const int64_t *shape, int32_t rank, char *buffer, int size) {
  int used = snprintf(buffer, (size_t)size, "[");
  for (int32_t i = 0; i < rank && used < size; ++i)
    used += snprintf(buffer + used, (size_t)(size - used), "%s%" PRId64, i ? ", " : "", shape[i]);
  if (used < size)
    snprintf(buffer + used, (size_t)(size - used), "]");
  return buffer;
}
