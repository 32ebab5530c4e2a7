//===- Divergence.h - why a training gave numbers that are not finite --------------------------------------------===//
#pragma once

#include "tools/attnc/Data/TrainingData.h"
#include "tools/attnc/Train/Trainer.h"

namespace attnc {

/// What was found when the steps up to `last` (counted from 1) ran again from where `start` begins: the step and the
/// kernel, with its places in the model, that made the first number that is not finite. Steps repeat to the bit, so
/// what happened happens again.
llvm::Expected<std::string> findDivergence(const attn_model &model, const Trainer::Options &start,
                                           const TrainingData &data, BatchShape shape, int64_t last);

} // namespace attnc
