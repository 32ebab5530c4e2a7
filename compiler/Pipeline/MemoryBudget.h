//===- MemoryBudget.h - rematerialisation and checkpointing within a memory budget --------------------------------===//
//
// The backward pass of a loop reads residuals, which the forward pass stores or the backward pass recomputes
// (compiler/Derive/Residuals.h). The budget is the largest size of each entry point's arena. A greedy search marks one
// residual after the other as recomputed, in ascending order of cost per byte and attention last, until the arena fits
// the budget. If recomputation alone does not suffice, scans are cut into segments (compiler/Derive/SegmentScans.h),
// whose number doubles until the arena fits or no longer shrinks; if that does not suffice either, residuals are
// recomputed in addition. Last, residuals for which there is room are stored again, and, where none is recomputed, cuts
// without need are undone. Each trial runs the phases from derive to plan, so the compared size is exact.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Pipeline/Job.h"

namespace attnc {

/// Sets `attn.recompute` and `attn.segments` on the functions of the job's module, which must be one before derive.
/// `planAll` runs the phases from derive to plan on the job's module; it is called once for each trial. Afterwards
/// the module is again the one before derive. Prints the choice for entry points with residuals. Returns false after an
/// error, for example if the budget cannot be met. Without CompileOptions::memoryBudget, does nothing and returns true.
bool chooseRecomputed(Job &job, llvm::function_ref<bool()> planAll);

/// Rejects a name in --at that is neither `workers` nor a dimension of an entry point, and a size above the largest
/// bound that the dimension has in an entry point. Runs after derive, which adds dimensions such as `capacity`. Returns
/// false after an error.
bool checkSizes(Job &job);

} // namespace attnc
