/* Allocation of arenas: page-aligned blocks, with huge pages if the system has them. */
#ifndef ATTN_MEMORY_H
#define ATTN_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns `bytes` of zeroed memory, page-aligned, or null if the system has none left. For 0 bytes it returns a block,
 * which has to be freed too. */
void *attn_memory_allocate(size_t bytes);
/* Frees a block of attn_memory_allocate(bytes), with the same `bytes`. A null block is ignored. */
void attn_memory_free(void *block, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
