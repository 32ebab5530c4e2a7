/* Preloaded, allocates memory with only the guarantees of C. All memory of malloc, calloc and realloc has an address of
 * 16 modulo 64, where the usual allocator often aligns more; aligned allocations have the requested alignment.
 * Allocated and freed memory is filled, up to MOST_FILLED bytes, so that reads that are too early or too late yield
 * neither plausible floats (they are NaN) nor valid addresses.
 *
 * The word before the returned address is the header. A small block is a cell of whole lines in an arena that never
 * shrinks; its header has its number of lines, or, in a free list, the next block. Other blocks are of the usual
 * allocator; their header is its address. Tests spend much of their time in compilers, which allocate small blocks, so
 * that these are as fast as possible: each thread has its own free lists. The lists of a thread that ends are lost. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

extern void *__libc_malloc(size_t size);
extern void __libc_free(void *block);

enum { LINE = 64, OFFSET = 16, FILL = 0xff, MOST_FILLED = 1 << 24, MOST_LINES = 64 };
static const size_t arena_bytes = (size_t)1 << 36; /* of addresses; memory is used where blocks are */

static _Atomic(char *) arena_end; /* the first line that is in no cell */
static char *arena_limit;         /* null if the arena could not be reserved */
static int is_open;
static __thread void *freed[MOST_LINES + 1] __attribute__((tls_model("initial-exec"))); /* by number of lines */

static void **header(void *given) { return (void **)given - 1; }
/* The header of a small block: no valid address, and NaN as a float. */
static void *header_of(size_t lines) { return (void *)(~(uintptr_t)0xffff | lines); }

static char *filled(void *given, size_t size) {
  return memset(given, FILL, size < MOST_FILLED ? size : MOST_FILLED);
}

/* Reserves the addresses of the arena, in the first allocation, before there are several threads. Also initialises the
 * usual allocator, which several threads must not do at once. */
static void open_arena(void) {
  int before = errno;
  char *begin = mmap(NULL, arena_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  is_open = 1;
  __libc_free(__libc_malloc(1));
  if (begin != MAP_FAILED) {
    madvise(begin, arena_bytes, MADV_HUGEPAGE);
    arena_limit = begin + arena_bytes;
    atomic_store(&arena_end, begin);
  }
  errno = before;
}

/* A cell of `lines` lines that no block has had; null if the arena is full or could not be reserved. */
static void *new_cell(size_t lines) {
  if (!is_open)
    open_arena();
  if (!arena_limit)
    return NULL;
  char *cell = atomic_fetch_add(&arena_end, (ptrdiff_t)(lines * LINE));
  return cell + lines * LINE <= arena_limit ? filled(cell, lines * LINE) + OFFSET : NULL;
}

static void *small_block(size_t size) {
  size_t lines = (size + OFFSET + LINE - 1) / LINE;
  void *given = freed[lines];
  if (given)
    freed[lines] = *header(given);
  else
    given = new_cell(lines);
  if (given)
    *header(given) = header_of(lines);
  return given;
}

/* Allocates memory at `offset` modulo `alignment`, a power of two of at least 16. */
static void *large_block(size_t alignment, size_t offset, size_t size) {
  if (size > PTRDIFF_MAX - 2 * alignment)
    return errno = ENOMEM, NULL;
  char *block = __libc_malloc(size + 2 * alignment);
  if (!block)
    return NULL;
  uintptr_t least = (uintptr_t)block + sizeof(void *);
  void *given = (void *)((least - offset + alignment - 1) / alignment * alignment + offset);
  *header(given) = block;
  return given;
}

static void *allocate(size_t size) {
  void *given = size <= MOST_LINES * LINE - OFFSET ? small_block(size) : NULL;
  return given ? given : large_block(LINE, OFFSET, size);
}

void *malloc(size_t size) {
  void *given = allocate(size);
  return given ? filled(given, size) : NULL;
}

/* The usual allocator stores the size of a chunk, with three flags, in the word before a block. That word and the one
 * before it are part of the size, but the last word is usable too. */
static size_t large_size(void *given) {
  size_t *block = *header(given);
  size_t chunk = block[-1] & ~(size_t)7, isMapped = block[-1] & 2;
  return (size_t)((char *)block + chunk - (isMapped ? 2 : 1) * sizeof(size_t) - (char *)given);
}

static size_t lines_of(void *given) {
  uintptr_t lines = (uintptr_t)*header(given) ^ ~(uintptr_t)0xffff;
  return lines <= MOST_LINES ? lines : 0;
}

size_t malloc_usable_size(void *given) {
  if (!given)
    return 0;
  size_t lines = lines_of(given);
  return lines ? lines * LINE - OFFSET : large_size(given);
}

void free(void *given) {
  if (!given)
    return;
  filled(given, malloc_usable_size(given));
  size_t lines = lines_of(given);
  if (!lines) {
    __libc_free(*header(given));
    return;
  }
  *header(given) = freed[lines];
  freed[lines] = given;
}

void *calloc(size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes))
    return errno = ENOMEM, NULL;
  void *given = allocate(bytes);
  return given ? memset(given, 0, bytes) : NULL;
}

void *memalign(size_t alignment, size_t size) {
  return large_block(alignment < OFFSET ? OFFSET : alignment, 0, size);
}
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
