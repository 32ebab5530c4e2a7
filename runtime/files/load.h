/* Loading of weights from a file that is open. */
#ifndef ATTN_LOAD_H
#define ATTN_LOAD_H

#include "attn/safetensors.h"
#include "attn/weights.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Like attn_weights_load (attn/files.h), from `file`, which remains open; null: from the file `path`. Messages refer to
 * it as `path`. */
attn_code attn_weights_load_open(const attn_model *model, const char *path, attn_safetensors *file, int32_t flags,
                                 const attn_executor *executor, attn_weights **out, attn_status *status);

#ifdef __cplusplus
}
#endif

#endif
