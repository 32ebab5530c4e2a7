/* A pool of threads that executes the chunks of kernels. Any attn_executor does in its place.
 *
 * Results never depend on the number of workers: chunks are functions of shapes, and each writes its own part. */
#ifndef ATTN_THREADS_H
#define ATTN_THREADS_H

#include "attn/abi.h"
#include "attn/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct attn_pool attn_pool;

/* Starts a pool of `workers` (the calling thread is one of them); 0 means one for each processor this process may use.
 * ATTN_NO_MEMORY where the system starts fewer threads; those that it has started have ended then.
 * The pool may be shared: a caller that finds it busy computes on its own thread. */
attn_code attn_pool_create(int64_t workers, attn_pool **pool, attn_status *status);
/* Null is fine. */
void attn_pool_destroy(attn_pool *pool);
/* Null for null. */
const attn_executor *attn_pool_executor(const attn_pool *pool);

/* Runs everything on the calling thread. */
const attn_executor *attn_serial_executor(void);

#ifdef __cplusplus
}
#endif
#endif
