//===- CalledEntries.h - removal of entry points that were not requested ------------------------------------------===//
//
// A compile for selected entry points removes the other entry points. Parameters that only these update remain in the
// module. If kernels have the names that they have in a compile of the whole model (CompileOptions::kernelNames), the
// other entry points are only marked at first (uncalledAttrName of Analysis/HostFunctions.h). They are removed once
// kernels have been formed and have names, without a warning.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Pipeline/Job.h"

namespace attnc {

/// The name of the sampler (a function with model.decode) that CompileOptions::writer requests; empty unless exactly
/// one matches. Call it before derive, which replaces samplers.
std::string writerOf(const Job &job);

/// Adds the resumed loop of the sampler `writer`, and an entry point that verifies drafted tokens, if
/// CompileOptions::writer requests them (compiler/Derive/Incremental/Decode.h), or with CompileOptions::streams the
/// loops of all samplers. Precedes the passes of derive. Returns whether there is a requested loop; fails with an error
/// if drafted tokens can't be verified.
mlir::FailureOr<bool> addResumedLoop(const Job &job, const std::string &writer);
/// The entry points of a resumed loop, after derive.
std::vector<std::string> entriesOfResumed(mlir::ModuleOp module, const std::string &writer);

/// Removes or marks all entry points of the job's module that `names` does not contain. Does nothing if `names` is
/// empty, or if one of the names is not that of an entry point.
void keepEntries(Job &job, llvm::ArrayRef<std::string> names);

/// If entry points are marked, removes them, the kernels that no other entry point calls, and the schedule settings of
/// these kernels.
void eraseUncalled(Job &job);

} // namespace attnc
