//===- CalledEntries.h - removal of entry points that are not compiled --------------------------------------------===//
//
// A compile for selected entry points removes the others. Parameters that only the others update remain parameters. If
// kernels have the names of the whole model (CompileOptions::kernelNames), the others are only marked until kernels
// have been formed, and are then removed without a warning.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Pipeline/Job.h"

namespace attnc {

/// The name of the entry point that CompileOptions::writer requests; empty unless exactly one matches.
std::string writerOf(const Job &job);

/// Removes or marks all entry points that `names` does not contain. Does nothing if `names` is empty or contains a name
/// that is not that of an entry point.
void keepEntries(Job &job, llvm::ArrayRef<std::string> names);

/// Removes the marked entry points, and the kernels that no other entry point calls.
void eraseUncalled(Job &job);

} // namespace attnc
