/* Files of packed weights. A file has all weights that the kernels of a model read, in the order in which they read
 * them. It is written once (`attnc pack`, or attn_weights_save_packed) and mapped by any number of processes, which
 * share its pages in memory. Only programs that use such files link this library (attnc::packed in CMake).
 *
 * The file is a .safetensors file. Its header is padded with spaces so that the data begin at a multiple of 4096 bytes:
 *
 *   {"__metadata__":{"attnc.packed":"llama for znver4","attnc.object":"5d0c..."},
 *    "model.norm.weight":{"dtype":"F32","shape":[2048],...},                             values that are read as loaded
 *    "lm_head.weight|bf16[128256, 2048], panels of 48 columns, transposed":{"dtype":"U8",...}}    packed weights
 *
 * The name of a packed weight is the checkpoint name of the value, `|` and its layout (attn_packed_info). The data of
 * packed weights precede those of values, so that both are aligned. "attnc.packed" names the model that was packed and
 * its target. Another object can map the file if all weights that it reads are in it, with the same names and layouts:
 * one that is compiled again, or with fewer entry points, for the same target and precision. */
#ifndef ATTN_PACKED_H
#define ATTN_PACKED_H

#include "attn/weights.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Returns 1 if the file begins like one that attn_weights_save_packed wrote, otherwise 0, also if it cannot be read. */
int attn_is_packed_file(const char *path);

/* Maps a file of packed weights, and checks its header: in time that does not depend on the sizes of the weights, whose
 * pages are read when kernels read them. Training steps cannot use the result, attn_weights_save returns
 * ATTN_BAD_WEIGHTS, and attn_weights_repack changes nothing. *weights and the lifetime of the model are as in
 * attn/weights.h.
 *
 * The file must not be written to or truncated while it is mapped: results would change, or SIGBUS would end the
 * process. attn_weights_save_packed and `attnc pack` replace a file as a whole, so mappings of the old one stay valid.
 *
 * Returns ATTN_BAD_FILE for an unreadable or corrupt file, and for one that attn_weights_save_packed did not write.
 * Returns ATTN_BAD_WEIGHTS for weights of another model, target or precision: if a weight that the model reads is
 * missing, or has another shape or layout; the message names both models. */
attn_code attn_weights_map(const attn_model *model, const char *path, attn_weights **weights, attn_status *status);

/* Writes the weights that kernels read to the file `path`, which is replaced as by attn_weights_save; the codes for
 * files that cannot be written, for lack of memory and for names are those of attn_weights_save. Returns
 * ATTN_BAD_WEIGHTS if the weights were trained since they were packed. States of training are not written. */
attn_code attn_weights_save_packed(const attn_weights *weights, const char *path, attn_status *status);

#ifdef __cplusplus
}
#endif
#endif
