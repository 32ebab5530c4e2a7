//===- MemoryBudget.h - rematerialisation and checkpointing within a memory budget --------------------------------===//
//
// The backward pass of a loop reads residuals, which the forward pass stores or the backward pass recomputes
// (compiler/Derive/Residuals.h). A greedy search marks one residual after the other as recomputed, in ascending order
// of cost per byte and attention last, until the arena fits the budget; then it stores those again for which there is
// room. If recomputation alone does not suffice, scans are cut into segments (compiler/Derive/SegmentScans.h), whose
// number doubles until the arena fits. Each trial runs the phases up to `plan`, so the compared size is exact.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Pipeline/Job.h"

namespace attnc {

/// Marks the residuals to recompute and the scans to cut in the job's module, which must precede derive. `planAll` runs
/// the phases from derive to plan on it. Prints the choice; returns false after an error, for example if the budget
/// can't be met. Without CompileOptions::memoryBudget, does nothing and returns true.
bool chooseRecomputed(Job &job, llvm::function_ref<bool()> planAll);

/// Rejects names in --at that no entry point has as a dimension, and sizes above the dimension's bound in all entry
/// points. Runs after derive, which adds dimensions, e.g. `capacity`. Returns false after an error.
bool checkSizes(Job &job);

} // namespace attnc
