/* Thread pool that executes the chunks of kernels. Programs may pass another attn_executor instead.
 *
 * Results never depend on the number of workers: shapes determine the chunks, and each chunk writes a
 * separate range. */
#ifndef ATTN_THREADS_H
#define ATTN_THREADS_H

#include "attn/abi.h"
#include "attn/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct attn_pool attn_pool;

/* Starts a pool of `workers`, at most 4096. One of them is the thread that launches a kernel; the others are threads of
 * the pool. 0 means one worker for each processor that the process may use. Returns ATTN_NO_MEMORY, after ending the
 * started threads, if the system starts fewer; *pool is null after an error. Threads may share the pool: one that
 * launches a kernel while the pool is busy computes all chunks itself. */
attn_code attn_pool_create(int64_t workers, attn_pool **pool, attn_status *status);
/* Ends the threads and frees the pool, in which no launch may be running; null is ignored. */
void attn_pool_destroy(attn_pool *pool);
/* Returns the pool's executor, which lives as long as the pool; null for null. */
const attn_executor *attn_pool_executor(const attn_pool *pool);

/* Returns an executor that runs all chunks on the calling thread. */
const attn_executor *attn_serial_executor(void);

#ifdef __cplusplus
}
#endif
#endif
