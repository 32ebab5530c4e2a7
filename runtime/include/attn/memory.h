/* Allocation of arenas and weights: page-aligned blocks from the operating system. Blocks of at least 2 MiB are aligned
 * to 2 MiB and request transparent huge pages. The functions are thread-safe. */
#ifndef ATTN_MEMORY_H
#define ATTN_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns `bytes` of zeroed memory, page-aligned, or null if the system has too little memory. For 0 bytes it returns a
 * block, which has to be freed too. The caller frees the block with attn_memory_free. */
void *attn_memory_allocate(size_t bytes);
/* Frees a block of attn_memory_allocate(bytes), with the same `bytes`. A null block is ignored. */
void attn_memory_free(void *block, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
