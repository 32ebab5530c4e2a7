/* Preloaded, crashes a program at allocation number CRASH_AT of its threads other than the first, in the manner of
 * CRASH:
 *
 *   null      a store to address 0
 *   abort     like a failed assertion
 *   overflow  stack overflow
 *   double    memory is freed twice, which the C library detects (the program's allocator may not)
 *   locked    a store to address 0 while the allocator is locked: later allocations never return */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t size);
extern void __libc_free(void *block);

static pthread_t first;
static const char *manner;
static long long at;
static atomic_llong count;
static atomic_int is_locked;

__attribute__((constructor)) static void begin(void) {
  const char *number = getenv("CRASH_AT");
  first = pthread_self();
  at = number ? atoll(number) : -1;
  manner = getenv("CRASH");
}

__attribute__((noinline)) static int overflow(int depth) {
  volatile char frame[4096];
  frame[depth % 4096] = 1;
  return depth < 0 ? 0 : overflow(depth + 1) + frame[0];
}

static void crash(void) {
  if (strcmp(manner, "abort") == 0)
    abort();
  if (strcmp(manner, "overflow") == 0)
    overflow(0);
  if (strcmp(manner, "double") == 0) {
    void *memory = __libc_malloc(1);
    __libc_free(memory);
    __libc_free(memory);
  }
  if (strcmp(manner, "locked") == 0)
    is_locked = 1;
  *(volatile int *)0 = 1;
}

void *malloc(size_t bytes) {
  static void *(*real)(size_t);
  if (!real)
    real = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
  while (is_locked)
    ;
  void *memory = real(bytes);
  if (manner && !pthread_equal(first, pthread_self()) && atomic_fetch_add(&count, 1) + 1 == at)
    crash();
  return memory;
}
