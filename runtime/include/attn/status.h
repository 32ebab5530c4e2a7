/* Status of a call: an error code and a message. */
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
  ATTN_BAD_WEIGHTS = 3,   /* a tensor is missing, unexpected or misshapen; or the weights do not support the call */
  ATTN_BAD_FILE = 4,      /* the file cannot be read or written, is truncated or corrupt */
  ATTN_OUT_OF_RANGE = 5,  /* an index in the data is out of range: an element, row or position */
  ATTN_NO_MEMORY = 6,     /* the system has no memory or threads left */
  ATTN_UNSUPPORTED = 7,   /* the processor, runtime, driver or device is missing, or older than the code */
  ATTN_FULL = 8,          /* a cache has no capacity for the positions of the call; nothing was written */
  ATTN_DEVICE_FAULT = 9   /* a device or its driver failed; the message has the driver's error */
} attn_code;

/* Every function with an attn_status parameter fills it; the message is empty on success. The pointer may be null.
 *
 * A function that returns an attn_code returns ATTN_BAD_ARGUMENT for any other null pointer, unless its description
 * specifies null; the pointer of an empty list may be null. Other functions specify their result for null. */
typedef struct attn_status {
  attn_code code;
  char message[508];
} attn_status;

/* Returns the code's name, such as "bad argument". */
const char *attn_code_name(attn_code code);

#ifdef __cplusplus
}
#endif
#endif
