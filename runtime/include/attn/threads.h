/* Thread pool that executes the chunks of kernels. Programs may pass another attn_executor instead.
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

/* Starts a pool of `workers`, one of which is the calling thread; 0 means one for each processor that the process may
 * use. ATTN_NO_MEMORY where the system starts fewer threads; the started ones have ended then.
 * Threads may share the pool: a caller that finds it busy computes all chunks itself. */
attn_code attn_pool_create(int64_t workers, attn_pool **pool, attn_status *status);
/* Null is fine. */
void attn_pool_destroy(attn_pool *pool);
/* Null for null. */
const attn_executor *attn_pool_executor(const attn_pool *pool);

/* An executor that runs all chunks on the calling thread. */
const attn_executor *attn_serial_executor(void);

#ifdef __cplusplus
}
#endif
#endif
