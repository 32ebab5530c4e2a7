//===- CalledEntries.h - entry points that nobody will call -------------------------------------------------------===//
//
// A compile for some entry points leaves the others out. What they update are parameters all the same. Where kernels
// are called as in the whole model (CompileOptions::kernelNames), the others stay until there are kernels, and nothing
// is said of them.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Pipeline/Job.h"

namespace attnc {

/// The entry point that writes tokens as it is asked for; empty where that is not one.
std::string writerOf(const Job &job);

/// Leaves out all but those of `names`, or marks them where they stay for a while. Nothing happens where a name is none
/// of an entry point, or there are no names.
void keepEntries(Job &job, llvm::ArrayRef<std::string> names);

/// Leaves out what is marked, with the kernels that it alone runs.
void eraseUncalled(Job &job);

} // namespace attnc
