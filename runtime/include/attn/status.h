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
  ATTN_BAD_WEIGHTS = 3,   /* a tensor is missing, unexpected or misshapen; or the weights don't support the call */
  ATTN_BAD_FILE = 4,      /* the file can't be read or written, is truncated or corrupt */
  ATTN_OUT_OF_RANGE = 5,  /* a number in the data is no element, row or position of its tensor */
  ATTN_NO_MEMORY = 6,     /* the system has no more memory or threads */
  ATTN_UNSUPPORTED = 7,   /* the processor, runtime, driver or device is missing, or older than the code */
  ATTN_FULL = 8,          /* a cache has no room for the positions of the call; nothing was written */
  ATTN_DEVICE_FAULT = 9   /* a device or its driver failed; the message has the driver's error */
} attn_code;

/* Every function with an attn_status parameter fills it; the message is empty on success. A null status is fine.
 *
 * A function that returns an attn_code returns ATTN_BAD_ARGUMENT for any other null pointer, unless its description
 * states a meaning of null; null is fine for a list of no elements. Other functions describe their result for null. */
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
