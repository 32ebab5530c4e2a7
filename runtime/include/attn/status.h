/* Status of a call of the runtime: an error code and a message. */
#ifndef ATTN_STATUS_H
#define ATTN_STATUS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum attn_code {
  ATTN_OK = 0,
  ATTN_BAD_ARGUMENT = 1,  /* a null pointer, a wrong rank, shape or element type, or another wrong argument */
  ATTN_BAD_ARENA = 2,     /* the arena is null, misaligned or too small */
  ATTN_BAD_WEIGHTS = 3,   /* a tensor of a weights file is missing, unexpected, or of a wrong shape or type; or the
                             object has no embedded weights; or the weights do not support the call: they are not
                             packed again after training, not trainable, or cannot be saved (attn_weights_save) */
  ATTN_BAD_FILE = 4,      /* the file cannot be read or written, is truncated or corrupt */
  ATTN_OUT_OF_RANGE = 5,  /* an index that comes from data is out of range: an element, row or position */
  ATTN_NO_MEMORY = 6,     /* the system or the device has too little memory, or the system starts too few threads */
  ATTN_UNSUPPORTED = 7,   /* the processor, runtime, driver or device is missing, or does not support the code; or
                             a model for a device is called on a processor; or an entry point exceeds a limit of
                             attn/abi.h */
  ATTN_FULL = 8,          /* a cache has too little capacity for the positions of the call, a length is negative, or a
                             count of positions is out of range; no cache was written */
  ATTN_DEVICE_FAULT = 9   /* a device or its driver failed; the message has the driver's error */
} attn_code;

/* The status of one call, a record of the caller. Every function with an attn_status parameter fills the record; the
 * pointer may be null, and the code is then only returned. The message is UTF-8 that ends in a zero, without control
 * characters; it is empty on success.
 *
 * A function that returns an attn_code returns ATTN_BAD_ARGUMENT for any other null pointer, unless its description
 * specifies null; the pointer of an empty list may be null. Other functions specify their result for null. */
typedef struct attn_status {
  attn_code code;
  char message[508];
} attn_status;

/* Returns the name of a code, such as "bad argument", as a constant string; "unknown code" for other numbers. */
const char *attn_code_name(attn_code code);

#ifdef __cplusplus
}
#endif
#endif
