/* ATTN_RETRY(result, call) repeats a system call while signals interrupt it, and assigns its result to the variable
 * `result`, which has a signed type. After any other error `result` is negative, and errno identifies the error. */
#ifndef ATTN_RETRY_H
#define ATTN_RETRY_H

#include <errno.h>

#define ATTN_RETRY(result, call)                                                                                       \
  do                                                                                                                   \
    result = (call);                                                                                                   \
  while (result < 0 && errno == EINTR)

#endif
