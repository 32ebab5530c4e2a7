//===- Divergence.h - search for the kernel that computed the first non-finite number -----------------------------===//
#pragma once

#include "tools/attnc/Data/TrainingData.h"
#include "tools/attnc/Train/Trainer.h"

namespace attnc {

/// Repeats the training by a new Trainer, from the initial weights or the checkpoint that `start` names, up to step
/// `last` (counted from 1). Steps are bitwise reproducible, so the repetition computes the same numbers. Returns a
/// clause for a message: "in step 7 the first NaN comes from kernel train_rows_3 (gpt.attn:41:9)", with the kernel's
/// source locations; or that a parameter is not finite from the start; or, if no kernel with a non-finite f32 result is
/// found (FiniteWatch.h), that the repeated steps computed finite numbers. Requires a model for a processor. An error
/// if the weights cannot be loaded or a step fails. `data` and `shape` are those of the training.
llvm::Expected<std::string> findDivergence(const attn_model &model, const Trainer::Options &start,
                                           const TrainingData &data, BatchShape shape, int64_t last);

} // namespace attnc
