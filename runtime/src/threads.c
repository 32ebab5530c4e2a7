#define _GNU_SOURCE
#include "attn/threads.h"
#include "internal.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Kernels follow each other within microseconds: a worker looks this often for the next before it sleeps. */
enum { SPINS = 4000, MOST_WORKERS = 4096 };

struct attn_pool {
  attn_executor executor;
  pthread_mutex_t callers;
  int64_t threads;
  /* The launch under way; written before `launch` is raised. */
  attn_kernel_fn fn;
  const attn_kernel_args *args;
  int64_t chunks;
  char *scratch;
  int64_t scratch_stride;
  _Alignas(64) atomic_int_least64_t next;
  _Alignas(64) atomic_uint launch;  /* number of launches so far; workers wait for it to rise */
  _Alignas(64) atomic_uint working; /* workers that have not finished the launch */
  atomic_int stop;
  struct worker {
    attn_pool *pool;
    int64_t number;
    pthread_t thread;
  } workers[];
};

static void futex_wait(atomic_uint *word, unsigned seen) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, (void *)0, (void *)0, 0);
}

static void futex_wake_all(atomic_uint *word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 0x7fffffff, (void *)0, (void *)0, 0);
}

/* Returns once *word differs from `seen`. */
static void await_change(atomic_uint *word, unsigned seen) {
  for (int spin = 0; spin < SPINS; ++spin) {
    if (atomic_load_explicit(word, memory_order_acquire) != seen)
      return;
    __builtin_ia32_pause();
  }
  while (atomic_load_explicit(word, memory_order_acquire) == seen)
    futex_wait(word, seen);
}

static void take_chunks(attn_pool *pool, int64_t worker) {
  char *scratch = pool->scratch ? pool->scratch + worker * pool->scratch_stride : 0;
  for (;;) {
    int64_t chunk = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
    if (chunk >= pool->chunks)
      return;
    pool->fn(pool->args, chunk, scratch);
  }
}

static void *work(void *argument) {
  struct worker *self = argument;
  attn_pool *pool = self->pool;
  for (unsigned seen = 0;;) {
    await_change(&pool->launch, seen);
    ++seen;
    if (atomic_load(&pool->stop))
      return 0;
    take_chunks(pool, self->number);
    if (atomic_fetch_sub_explicit(&pool->working, 1, memory_order_acq_rel) == 1)
      futex_wake_all(&pool->working);
  }
}

static void run_alone(void *self, attn_kernel_fn fn, const attn_kernel_args *args, int64_t chunks, char *scratch,
                      int64_t scratch_stride) {
  (void)self;
  (void)scratch_stride;
  for (int64_t chunk = 0; chunk < chunks; ++chunk)
    fn(args, chunk, scratch);
}

static void run_in_pool(void *self, attn_kernel_fn fn, const attn_kernel_args *args, int64_t chunks, char *scratch,
                        int64_t scratch_stride) {
  attn_pool *pool = self;
  if (chunks <= 1 || pool->threads == 0 || pthread_mutex_trylock(&pool->callers) != 0) {
    run_alone(0, fn, args, chunks, scratch, scratch_stride);
    return;
  }
  pool->fn = fn;
  pool->args = args;
  pool->chunks = chunks;
  pool->scratch = scratch;
  pool->scratch_stride = scratch_stride;
  atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
  atomic_store_explicit(&pool->working, (unsigned)pool->threads, memory_order_relaxed);
  atomic_fetch_add_explicit(&pool->launch, 1, memory_order_release);
  futex_wake_all(&pool->launch);
  take_chunks(pool, 0);
  for (unsigned left; (left = atomic_load_explicit(&pool->working, memory_order_acquire)) != 0;)
    await_change(&pool->working, left);
  pthread_mutex_unlock(&pool->callers);
}

static int64_t processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
}

ATTN_PUBLIC attn_code attn_pool_create(int64_t workers, attn_pool **out, attn_status *status) {
  *out = 0;
  if (workers < 0 || workers > MOST_WORKERS)
    return attn_fail(status, ATTN_BAD_ARGUMENT, "a pool of %lld workers, expected 0 to %d", (long long)workers,
                     MOST_WORKERS);
  if (workers == 0)
    workers = processors();
  size_t bytes = (sizeof(attn_pool) + (size_t)workers * sizeof(struct worker) + 63) / 64 * 64;
  attn_pool *pool = aligned_alloc(64, bytes);
  if (!pool)
    return attn_fail(status, ATTN_NO_MEMORY, "no memory for a pool of %lld workers", (long long)workers);
  *pool = (attn_pool){.executor = {run_in_pool, pool, workers}};
  pthread_mutex_init(&pool->callers, 0);
  for (; pool->threads < workers - 1; ++pool->threads) {
    struct worker *worker = &pool->workers[pool->threads];
    worker->pool = pool;
    worker->number = pool->threads + 1;
    if (pthread_create(&worker->thread, 0, work, worker) != 0) {
      int64_t started = pool->threads + 1;
      attn_pool_destroy(pool);
      return attn_fail(status, ATTN_NO_MEMORY, "the system starts no more threads: %lld wanted, %lld started",
                       (long long)workers, (long long)started);
    }
  }
  *out = pool;
  return attn_succeed(status);
}

ATTN_PUBLIC void attn_pool_destroy(attn_pool *pool) {
  if (!pool)
    return;
  atomic_store(&pool->stop, 1);
  atomic_fetch_add_explicit(&pool->launch, 1, memory_order_release);
  futex_wake_all(&pool->launch);
  for (int64_t i = 0; i < pool->threads; ++i)
    pthread_join(pool->workers[i].thread, 0);
  pthread_mutex_destroy(&pool->callers);
  free(pool);
}

ATTN_PUBLIC const attn_executor *attn_pool_executor(const attn_pool *pool) { return &pool->executor; }

ATTN_PUBLIC const attn_executor *attn_serial_executor(void) {
  static const attn_executor serial = {run_alone, 0, 1};
  return &serial;
}
