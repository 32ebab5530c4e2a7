#include "internal.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* FORMATTED_BYTES: length of a message before it is shortened. */
enum { FORMATTED_BYTES = 8192, SHOWN_NAME_BYTES = 120 };

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

/* Returns the bytes of the UTF-8 character at `text`, or 0 for a control character or an invalid sequence. */
static size_t visible_character(const unsigned char *text) {
  unsigned char lead = text[0], second = lead < 0x80 ? 0 : text[1];
  if (lead < 0x80)
    return lead >= 0x20 && lead != 0x7F;
  size_t length = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
  for (size_t i = 1; i < length; ++i)
    if ((text[i] & 0xC0) != 0x80)
      return 0;
  int is_control = lead == 0xC2 && second < 0xA0;
  int is_overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
  int is_beyond = (lead == 0xED && second >= 0xA0) || (lead == 0xF4 && second >= 0x90);
  return is_control || is_overlong || is_beyond ? 0 : length;
}

/* Writes the first character of a nonempty text, escaped if necessary; returns the number of bytes written. */
static size_t show_character(const char **text, char out[4]) {
  const unsigned char *at = (const unsigned char *)*text;
  size_t length = visible_character(at);
  *text += length ? length : 1;
  if (length) {
    memcpy(out, at, length);
    return length;
  }
  memcpy(out, "\\x", 2);
  out[2] = "0123456789abcdef"[*at >> 4];
  out[3] = "0123456789abcdef"[*at & 15];
  return 4;
}

void attn_show(const char *text, char *out, size_t size) {
  static const char dots[] = "...";
  size_t length = 0, used = 0;
  char shown[4];
  for (const char *at = text; *at;)
    length += show_character(&at, shown);
  int is_cut = length >= size;
  size_t head = is_cut ? (size - sizeof dots) / 2 : length, tail = is_cut ? size - sizeof dots - head : 0;
  for (size_t passed = 0; *text;) {
    size_t count = show_character(&text, shown);
    passed += count;
    if (passed <= head || (is_cut && passed - count >= length - tail)) {
      memcpy(out + used, shown, count);
      used += count;
    } else if (passed - count <= head) { /* the first omitted character */
      memcpy(out + used, dots, sizeof dots - 1);
      used += sizeof dots - 1;
    }
  }
  out[used] = 0;
}

attn_text attn_shown(const char *name) {
  attn_text shown;
  attn_show(name, shown.text, SHOWN_NAME_BYTES);
  return shown;
}

attn_text attn_shape(const int64_t *shape, int32_t rank) {
  attn_text shown = {"["};
  int used = 1;
  for (int32_t i = 0; i < rank; ++i)
    used += sprintf(shown.text + used, "%s%" PRId64, i ? ", " : "", shape[i]);
  strcpy(shown.text + used, "]");
  return shown;
}

attn_code attn_fail(attn_status *status, attn_code code, const char *format, ...) {
  if (status) {
    char message[FORMATTED_BYTES];
    va_list arguments;
    va_start(arguments, format);
    status->code = code;
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    attn_show(message, status->message, sizeof status->message);
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

static const char *const dtype_names[] = {
#define ATTN_NAME(ID, NUMBER, NAME, C_TYPE) [NUMBER] = NAME,
    ATTN_ELEMENT_TYPES(ATTN_NAME)
#undef ATTN_NAME
};

int attn_is_tensor_dtype(int32_t dtype) {
  return dtype >= 0 && dtype < (int32_t)(sizeof dtype_names / sizeof *dtype_names) && dtype_names[dtype];
}

const char *attn_dtype_name(int32_t dtype) { return attn_is_tensor_dtype(dtype) ? dtype_names[dtype] : "unknown"; }

int64_t attn_tensor_bytes(int32_t dtype, const int64_t *shape, int32_t rank) {
  int64_t bytes = attn_element_bytes(dtype);
  for (int32_t d = 0; d < rank; ++d)
    bytes = attn_multiply(bytes, shape[d]);
  return bytes;
}
