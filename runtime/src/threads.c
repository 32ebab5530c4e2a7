#define _GNU_SOURCE
#include "attn/threads.h"
#include "internal.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Launches are microseconds apart, and waking a thread takes a hundred. Threads therefore spin for SPIN_NANOSECONDS
 * before they sleep, or for a few rounds if there are more workers than processors. After SILENT_ROUNDS, about the time
 * between two launches, they yield after each round, because other threads may need the processor: two trainings on
 * two processors then take a third less time. */
enum { SPIN_NANOSECONDS = 1000000, ROUND = 32, SILENT_ROUNDS = 8, FEW_ROUNDS = 100, MOST_WORKERS = 4096 };

/* The bit of `inside` that is set while workers may join the launch. */
static const unsigned OPEN = 1u << 31;

/* A launch is open until its caller finds no more chunks. Workers that wake later do not join it, so the caller never
 * waits for a worker without a chunk. */
struct attn_pool {
  attn_executor executor;
  pthread_mutex_t callers;
  int64_t threads;
  int is_crowded; /* more workers than processors */
  /* The launch; written while it is closed and no worker is inside. */
  attn_kernel_fn fn;
  const attn_kernel_args *args;
  int64_t chunks;
  char *scratch;
  int64_t scratch_stride;
  _Alignas(64) atomic_int_least64_t next;
  _Alignas(64) atomic_uint launch; /* number of launches so far; workers wait for a change */
  atomic_uint launch_sleepers;     /* workers that may be asleep */
  _Alignas(64) atomic_uint inside; /* workers that take chunks of the launch, and OPEN */
  atomic_uint inside_sleepers;     /* 1: the caller may be asleep */
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

static void futex_wake(atomic_uint *word, int64_t threads) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, threads < MOST_WORKERS ? (int)threads : MOST_WORKERS, (void *)0,
          (void *)0, 0);
}

static int64_t nanoseconds(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static int changes_soon(const attn_pool *pool, atomic_uint *word, unsigned seen) {
  int64_t end = pool->is_crowded ? 0 : nanoseconds() + SPIN_NANOSECONDS;
  for (int round = 0; round < FEW_ROUNDS || (end && nanoseconds() < end); ++round) {
    for (int i = 0; i < ROUND; ++i) {
      if (atomic_load_explicit(word, memory_order_acquire) != seen)
        return 1;
      __builtin_ia32_pause();
    }
    if (round >= SILENT_ROUNDS)
      sched_yield();
  }
  return 0;
}

/* Waits until *word differs from `seen`. The thread that changes *word reads *sleepers afterwards. */
static void await_change(const attn_pool *pool, atomic_uint *word, unsigned seen, atomic_uint *sleepers) {
  if (changes_soon(pool, word, seen))
    return;
  atomic_fetch_add(sleepers, 1);
  while (atomic_load(word) == seen)
    futex_wait(word, seen);
  atomic_fetch_sub(sleepers, 1);
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

static int join(attn_pool *pool) {
  unsigned inside = atomic_load_explicit(&pool->inside, memory_order_relaxed);
  while (inside & OPEN)
    if (atomic_compare_exchange_weak_explicit(&pool->inside, &inside, inside + 1, memory_order_acquire,
                                              memory_order_relaxed))
      return 1;
  return 0;
}

static void leave(attn_pool *pool) {
  if (atomic_fetch_sub(&pool->inside, 1) == 1 && atomic_load(&pool->inside_sleepers))
    futex_wake(&pool->inside, 1);
}

static void *work(void *argument) {
  struct worker *self = argument;
  attn_pool *pool = self->pool;
  for (unsigned seen = 0;;) {
    await_change(pool, &pool->launch, seen, &pool->launch_sleepers);
    seen = atomic_load_explicit(&pool->launch, memory_order_acquire);
    if (atomic_load(&pool->stop))
      return 0;
    if (join(pool)) {
      take_chunks(pool, self->number);
      leave(pool);
    }
  }
}

static void run_alone(void *self, attn_kernel_fn fn, const attn_kernel_args *args, int64_t chunks, char *scratch,
                      int64_t scratch_stride) {
  (void)self;
  (void)scratch_stride;
  for (int64_t chunk = 0; chunk < chunks; ++chunk)
    fn(args, chunk, scratch);
}

/* Starts a launch: wakes up to `threads` sleeping workers; spinning ones see the change. */
static void announce(attn_pool *pool, int64_t threads) {
  atomic_fetch_add(&pool->launch, 1);
  if (atomic_load(&pool->launch_sleepers))
    futex_wake(&pool->launch, threads);
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
  atomic_store_explicit(&pool->inside, OPEN, memory_order_release);
  announce(pool, chunks - 1);
  take_chunks(pool, 0);
  atomic_fetch_and(&pool->inside, ~OPEN);
  for (unsigned left; (left = atomic_load_explicit(&pool->inside, memory_order_acquire)) != 0;)
    await_change(pool, &pool->inside, left, &pool->inside_sleepers);
  pthread_mutex_unlock(&pool->callers);
}

static int64_t processors(void) {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : sysconf(_SC_NPROCESSORS_ONLN);
}

ATTN_PUBLIC attn_code attn_pool_create(int64_t workers, attn_pool **out, attn_status *status) {
  ATTN_TRY(attn_check_pointer(out, "the place for the pool", status));
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
  *pool = (attn_pool){.executor = {run_in_pool, pool, workers}, .is_crowded = workers > processors()};
  pthread_mutex_init(&pool->callers, 0);
  for (; pool->threads < workers - 1; ++pool->threads) {
    struct worker *worker = &pool->workers[pool->threads];
    worker->pool = pool;
    worker->number = pool->threads + 1;
    if (pthread_create(&worker->thread, 0, work, worker) != 0) {
      int64_t started = pool->threads + 1;
      attn_pool_destroy(pool);
      return attn_fail(status, ATTN_NO_MEMORY, "the system can't start more threads: %lld requested, %lld started",
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
  announce(pool, pool->threads);
  for (int64_t i = 0; i < pool->threads; ++i)
    pthread_join(pool->workers[i].thread, 0);
  pthread_mutex_destroy(&pool->callers);
  free(pool);
}

ATTN_PUBLIC const attn_executor *attn_pool_executor(const attn_pool *pool) { return pool ? &pool->executor : 0; }

ATTN_PUBLIC const attn_executor *attn_serial_executor(void) {
  static const attn_executor serial = {run_alone, 0, 1};
  return &serial;
}
