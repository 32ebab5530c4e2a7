/* Weights of a model in .safetensors files. Only programs that read or write files link this library (attnc::files in
 * CMake); weights that are drawn, in the object or in memory of the caller need only attn/weights.h. */
#ifndef ATTN_FILES_H
#define ATTN_FILES_H

#include "attn/weights.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  ATTN_ALLOW_EXTRA = 1, /* the file may have tensors that are not parameters of the model */
  ATTN_TRAINABLE = 2,   /* training steps may update the values; states of training are loaded as well */
  ATTN_KEEP_VALUES = 4  /* values that kernels read only packed remain in memory, to be saved or read by the caller */
};

/* Loads every parameter from a .safetensors file and packs the parameters that kernels read packed. The file is read,
 * not mapped, and closed: later changes of it have no effect. F16 and BF16 are widened. A missing or misshapen
 * parameter, or a tensor that is not a parameter of the model, is ATTN_BAD_WEIGHTS, with a message that names file,
 * tensor, expected and found; then nothing is loaded. States of training are loaded only with ATTN_TRAINABLE; if the
 * file has none, they have their initial values. Without ATTN_KEEP_VALUES and ATTN_TRAINABLE, values that kernels read
 * only packed are freed after they are packed: they are null in the parameter table. */
attn_code attn_weights_load(const attn_model *model, const char *path, int32_t flags, const attn_executor *executor,
                            attn_weights **weights, attn_status *status);

enum {
  ATTN_SAVE_STATES = 1 /* with the states of training, so that training can continue */
};

/* Writes parameters to a .safetensors file under their checkpoint names. The file is written under another name in the
 * folder of `path`, synced and renamed, so that `path` is always the old file or the complete new one. It is the new
 * one after ATTN_OK, and also after an ATTN_BAD_FILE whose cause is that the folder could not be synced. Returns
 * ATTN_BAD_WEIGHTS, and writes nothing, if values were freed (attn_weights_load), if states are to be saved but are not
 * in memory, if two parameters have one name, or if one has the name "__metadata__", which the format reserves. */
attn_code attn_weights_save(const attn_weights *weights, const char *path, int32_t flags, attn_status *status);

#ifdef __cplusplus
}
#endif
#endif
