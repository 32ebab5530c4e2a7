//===- SavedChanges.h - files of the parameters that a training has changed ---------------------------------------===//
#pragma once

#include "attn/weights.h"
#include "compiler/Emit/WeightsFiles.h"

namespace attnc {

/// Writes to the .safetensors file `path` those parameters of `weights`, without states of training, that are not in
/// `base` with equal values: together, both files are the weights. All values of `weights` must be in memory.
llvm::Error saveChanges(const attn_weights *weights, const WeightsFiles &base, const std::string &path);

} // namespace attnc
