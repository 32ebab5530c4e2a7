/* Preloaded, allocates memory with only the guarantees of C. All memory of malloc, calloc and realloc has an address of
 * 16 modulo 64, where the usual allocator often aligns more; aligned allocations have the requested alignment.
 * Allocated and freed memory is filled, up to MOST_FILLED bytes, so that reads that are too early or too late yield
 * neither plausible floats (they are NaN) nor valid addresses.
 *
 * The underlying block begins before the returned address, and its address is in the word before that. */
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t size);
extern void __libc_free(void *block);

enum { LINE = 64, OFFSET = 16, HEADER = sizeof(void *), FILL = 0xff, MOST_FILLED = 1 << 24 };

/* Allocates memory at `offset` modulo `alignment`, a power of two of at least 16. */
static void *allocate(size_t alignment, size_t offset, size_t size) {
  if (size > PTRDIFF_MAX - 2 * alignment)
    return errno = ENOMEM, NULL;
  char *block = __libc_malloc(size + 2 * alignment);
  if (!block)
    return NULL;
  uintptr_t least = (uintptr_t)block + HEADER;
  uintptr_t given = (least - offset + alignment - 1) / alignment * alignment + offset;
  ((void **)given)[-1] = block;
  return (void *)given;
}

static void *filled(void *given, size_t size) {
  return memset(given, FILL, size < MOST_FILLED ? size : MOST_FILLED);
}

void *malloc(size_t size) {
  void *given = allocate(LINE, OFFSET, size);
  return given ? filled(given, size) : NULL;
}

/* The usual allocator stores the size of a chunk, with three flags, in the word before a block. That word and the one
 * before it are part of the size, but the last word is usable too. */
size_t malloc_usable_size(void *given) {
  if (!given)
    return 0;
  size_t *block = ((size_t **)given)[-1];
  size_t chunk = block[-1] & ~(size_t)7, isMapped = block[-1] & 2;
  return (size_t)((char *)block + chunk - (isMapped ? 2 : 1) * sizeof(size_t) - (char *)given);
}

void free(void *given) {
  if (!given)
    return;
  void *block = ((void **)given)[-1];
  filled(given, malloc_usable_size(given));
  __libc_free(block);
}

void *calloc(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes))
    return errno = ENOMEM, NULL;
  void *given = allocate(LINE, OFFSET, bytes);
  return given ? memset(given, 0, bytes) : NULL;
}

void *memalign(size_t alignment, size_t size) { return allocate(alignment < OFFSET ? OFFSET : alignment, 0, size); }
void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
  void *given = memalign(alignment, size);
  if (given)
    *result = given;
  return given ? 0 : ENOMEM;
}

void *realloc(void *given, size_t size) {
  void *moved = malloc(size);
  if (!moved || !given)
    return moved;
  size_t held = malloc_usable_size(given);
  memcpy(moved, given, held < size ? held : size);
  free(given);
  return moved;
}
