//===- SampleEntry.h - entry points that the report calls on held-out samples -------------------------------------===//
#pragma once

#include "attn/model.h"
#include "tools/attnc/Tensors/TensorFile.h"
#include "llvm/Support/Error.h"

namespace attnc {

/// Returns the index in model.entries of the entry point `name`. An error if it does not exist, with the hint
/// `suggestion`, or if it has an input that the training step `step` does not have.
llvm::Expected<int64_t> findSampleEntry(const attn_model &model, const attn_entry_info &step, const std::string &name,
                                        const std::string &suggestion);

/// Returns the inputs of `entry` before the key of random draws: those of `sample`, inputs of the training step `step`,
/// that have the same names. Requires that findSampleEntry() returned the entry point.
std::vector<HostTensor> inputsOfSample(const attn_entry_info &entry, const attn_entry_info &step,
                                       const std::vector<HostTensor> &sample);

} // namespace attnc
