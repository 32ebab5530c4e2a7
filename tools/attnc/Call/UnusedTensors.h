//===- UnusedTensors.h - tensors of a checkpoint that no parameter has --------------------------------------------===//
#pragma once

#include "attn/model.h"
#include "compiler/Emit/WeightsFiles.h"

namespace attnc {

/// Prints a warning if the files of a checkpoint have tensors that are neither parameters of `model` nor redundant
/// (isRedundant in Checkpoint.h).
void warnOfUnusedTensors(const attn_model &model, const WeightsFiles &files);

} // namespace attnc
