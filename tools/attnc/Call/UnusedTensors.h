//===- UnusedTensors.h - tensors of a checkpoint that no parameter has --------------------------------------------===//
#pragma once

#include "attn/model.h"
#include "llvm/Support/Error.h"
#include <string>

namespace attnc {

/// Prints a warning if the checkpoint in `folder` has tensors that are neither parameters of `model` nor redundant
/// (isRedundant in Checkpoint.h). An error if the files cannot be read.
llvm::Error warnOfUnusedTensors(const attn_model &model, const std::string &folder);

} // namespace attnc
