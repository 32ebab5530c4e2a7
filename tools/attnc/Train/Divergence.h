//===- Divergence.h - search for the kernel that computed the first non-finite number ----------------------------===//
#pragma once

#include "tools/attnc/Data/TrainingData.h"
#include "tools/attnc/Train/Trainer.h"

namespace attnc {

/// Repeats the training from the initial weights or the checkpoint that `start` names, up to step `last` (counted from
/// 1). Returns a sentence with the step and the kernel, with its source locations, that computed the first NaN or
/// infinity; or a sentence that a parameter was not finite from the start, or that all numbers were finite. Steps are
/// bitwise reproducible, so the repetition computes the same numbers.
llvm::Expected<std::string> findDivergence(const attn_model &model, const Trainer::Options &start,
                                           const TrainingData &data, BatchShape shape, int64_t last);

} // namespace attnc
