//===- Divergence.h - search for the kernel that computed the first non-finite number ----------------------------===//
#pragma once

#include "tools/attnc/Data/TrainingData.h"
#include "tools/attnc/Train/Trainer.h"

namespace attnc {

/// Repeats the steps from the start of `start` up to `last` (counted from 1). Returns a sentence with the step and the
/// kernel, with its source locations, that computed the first NaN or infinity. Steps are bitwise reproducible, so the
/// repetition computes the same numbers.
llvm::Expected<std::string> findDivergence(const attn_model &model, const Trainer::Options &start,
                                           const TrainingData &data, BatchShape shape, int64_t last);

} // namespace attnc
