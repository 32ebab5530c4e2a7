/* Thread pool that executes the chunks of kernels. Programs may pass another attn_executor instead.
 *
 * Results never depend on the number of workers: shapes determine the chunks, and each chunk writes a separate range.
 * The arena of a call does depend on it: attn_entry_info.arena_bytes takes attn_executor.workers. */
#ifndef ATTN_THREADS_H
#define ATTN_THREADS_H

#include "attn/abi.h"
#include "attn/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A thread pool. */
typedef struct attn_pool attn_pool;

/* Creates a pool of `workers` workers: the thread that launches a kernel, and workers - 1 threads, which the function
 * starts. 0 means one worker for each processor that the process may use. The caller frees *pool with
 * attn_pool_destroy. Returns ATTN_BAD_ARGUMENT if `workers` is negative or above 4096. Returns ATTN_NO_MEMORY if there
 * is no memory for the pool or, after ending the started threads, if the system starts fewer. *pool is null after an
 * error.
 *
 * Several threads may use the pool at the same time: a thread that launches a kernel while the pool runs the kernel of
 * another thread computes all chunks itself. After a launch, threads of the pool spin for about 1 ms, or for less if
 * there are more workers than processors, and then sleep. While they spin they yield the processor to threads that
 * need it. */
attn_code attn_pool_create(int64_t workers, attn_pool **pool, attn_status *status);
/* Ends the threads and frees the pool. No call may be using the pool. Null is ignored. */
void attn_pool_destroy(attn_pool *pool);
/* Returns the pool's executor, which lives as long as the pool; null for null. */
const attn_executor *attn_pool_executor(const attn_pool *pool);

/* Returns an executor that runs all chunks on the calling thread: a constant, which any number of threads may use. */
const attn_executor *attn_serial_executor(void);

#ifdef __cplusplus
}
#endif
#endif
