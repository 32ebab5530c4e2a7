//===- MemoryBudget.h - what is computed again so that an arena stays within a budget -----------------------------===//
//
// The reverses of loops keep results of their forward iterations, or compute them again (compiler/Derive/Residuals.h).
// Here one is chosen after the other, the cheapest for each byte first and attention after all else, until the arena
// that the rest of the compile plans is within the budget; what turns out not to be needed for that is kept after all.
// Where all of that is not enough, scans are cut into segments (compiler/Derive/SegmentScans.h), in as few as will do.
// Every step is a compile up to the plan, so that what is compared with the budget is what a call will be asked for.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Pipeline/Job.h"

namespace attnc {

/// Marks the entry points of the job's module, as import left it, with what is to be computed again. `planAll` runs the
/// phases from derive to plan. Says what was chosen; answers false, with the reason, where the budget can't be met.
bool chooseRecomputed(Job &job, llvm::function_ref<bool()> planAll);

/// Refuses sizes of --at that no entry point has a dimension for. Behind derive, which makes some, such as `capacity`.
bool checkSizes(Job &job);

} // namespace attnc
