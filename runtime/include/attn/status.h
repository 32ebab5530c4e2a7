/* What went wrong, as a code and a sentence. */
#ifndef ATTN_STATUS_H
#define ATTN_STATUS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum attn_code {
  ATTN_OK = 0,
  ATTN_BAD_ARGUMENT = 1,  /* a null pointer, a wrong rank, shape or element type */
  ATTN_BAD_ARENA = 2,     /* the arena is null, misaligned or too small */
  ATTN_BAD_WEIGHTS = 3,   /* a tensor is missing, unexpected or misshapen; or the weights can't do what is asked */
  ATTN_BAD_FILE = 4,      /* the file can't be read or written, is truncated or corrupt */
  ATTN_OUT_OF_RANGE = 5,  /* a number in the data names what is not there: an element, a row, a position */
  ATTN_NO_MEMORY = 6,     /* memory or threads could not be had from the system */
  ATTN_UNSUPPORTED = 7,   /* the processor, runtime, driver or device is missing, or older than the code */
  ATTN_FULL = 8,          /* no room in a cache for the positions of the call; nothing was written */
  ATTN_DEVICE_FAULT = 9   /* a device or its driver failed; the message has the driver's name of it */
} attn_code;

/* Filled by every call that takes one; the message is empty on success. Passing a null pointer is fine.
 *
 * A call that returns an attn_code answers ATTN_BAD_ARGUMENT for any other null pointer, unless its description says
 * what null means; null is fine for a list of no elements. Calls that return something else say what null gives. */
typedef struct attn_status {
  attn_code code;
  char message[508];
} attn_status;

/* The code's name, such as "bad argument". */
const char *attn_code_name(attn_code code);

#ifdef __cplusplus
}
#endif
#endif
