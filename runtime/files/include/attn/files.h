/* Loading and saving of a model's weights in .safetensors files. Only programs that read or write such files link this
 * library (attnc::files in CMake). Other ways to create weights are in attn/weights.h. A state of training is a moment
 * of an optimizer, or the count of steps.
 *
 * If the checkpoint name of a parameter has "[]", a file has a tensor of its own for each index of the parameter's
 * first dimension, with the index in place of "[]": "experts.[].w" stands for experts.0.w, experts.1.w, ... */
#ifndef ATTN_FILES_H
#define ATTN_FILES_H

#include "attn/weights.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Flags of attn_weights_load, combined by |. */
enum {
  ATTN_ALLOW_EXTRA = 1, /* the file may have tensors that are not parameters of the model */
  ATTN_TRAINABLE = 2,   /* training steps may update the values; states of training are in memory too */
  ATTN_KEEP_VALUES = 4  /* values that kernels read only packed remain in memory, to be saved or read by the caller */
};

/* Loads every parameter from the .safetensors file `path`, and packs the parameters that kernels read packed. The
 * tensor of a parameter has its checkpoint name (attn_parameter_name), its shape and its element type; a tensor of F16
 * or BF16 is widened for a parameter of f32. The file is read, not mapped, and closed: later changes of the file have
 * no effect. `path` is also an index of shards, such as model.safetensors.index.json, or a folder with the file
 * model.safetensors or this index (attn_safetensors_open); "the file" is then all of its shards. `executor`, *weights,
 * and the lifetime of the model are as in attn/weights.h.
 *
 * Returns ATTN_BAD_FILE for an unreadable or corrupt file. Returns ATTN_BAD_WEIGHTS if a parameter is missing or has
 * another shape or type, if a tensor is neither a parameter nor a state of training of the model (unless
 * ATTN_ALLOW_EXTRA), or if some but not all states are in the file (with ATTN_TRAINABLE); the message names file and
 * tensor. *weights is null after an error.
 *
 * States of training are in memory only with ATTN_TRAINABLE. Their values are those of the file, which has to have all
 * of them or none; if it has none, they have their initial values. Without ATTN_KEEP_VALUES and ATTN_TRAINABLE, a value
 * that kernels read only packed is not kept: its pointer in the parameter table is null. */
attn_code attn_weights_load(const attn_model *model, const char *path, int32_t flags, const attn_executor *executor,
                            attn_weights **weights, attn_status *status);

/* Flags of attn_weights_save. */
enum {
  ATTN_SAVE_STATES = 1 /* with the states of training, so that training can continue */
};

/* Writes all parameters, as loaded or trained, to the .safetensors file `path` under their checkpoint names; states of
 * training only with ATTN_SAVE_STATES. The file is written under another name in the folder of `path`, synced and
 * renamed, so that `path` is always the old file or the complete new one; a symbolic link at `path` is itself replaced.
 * It is the new one after ATTN_OK, and also after an ATTN_BAD_FILE whose cause is that the folder could not be synced.
 * Returns ATTN_BAD_FILE if the file cannot be written, or if `path` is a directory, device, pipe or socket, or a link
 * to one; ATTN_NO_MEMORY if there is too little memory for the header. Returns ATTN_BAD_WEIGHTS, and writes nothing, if
 * values were not kept in memory (attn_weights_load), if states are to be saved but the weights are not trainable, if
 * two parameters have one name, or if one has the name "__metadata__", which the format reserves. */
attn_code attn_weights_save(const attn_weights *weights, const char *path, int32_t flags, attn_status *status);

#ifdef __cplusplus
}
#endif
#endif
