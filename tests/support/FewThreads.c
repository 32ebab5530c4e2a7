/* Preloaded, limits a process to FEW_THREADS additional threads, like a limit on processes or memory. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int started;

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
  static __typeof__(pthread_create) *real;
  const char *most = getenv("FEW_THREADS");
  if (!real)
    real = (__typeof__(pthread_create) *)dlsym(RTLD_NEXT, "pthread_create");
  return most && ++started > atoi(most) ? EAGAIN : real(thread, attributes, body, argument);
}
