/* Blocks of memory as an arena wants them: aligned, page-backed, with huge pages where the system has them. */
#ifndef ATTN_MEMORY_H
#define ATTN_MEMORY_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `bytes` of zeroed memory aligned to a page, or null when the system has none. Zero bytes give a valid block. */
void *attn_memory_allocate(size_t bytes);
/* Gives back a block; `bytes` as it was asked for. A null block is fine. */
void attn_memory_free(void *block, size_t bytes);

#ifdef __cplusplus
}
#endif
#endif
