//===- Summary.h - summary of an explained model ------------------------------------------------------------------===//
//
// The default output of `attnc explain`. Each of the costliest kernels has a line with its module path, its kind, its
// launches and time in a call of the first entry point that runs it, its share of this call, and the work that is fused
// into it. Times are measured if the model was measured, else predicted; without a machine, flops replace times. Then
// come the costliest edges that were not fused, each with the change of the model that would fuse it, if there is one.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/ExplainedModel/ExplainedModel.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc {

/// Sizes for the dimensions of `entries` that have no bound and that `at` (the option --at) does not name, so that a
/// summary has times: 1 for `batch`, 256 for others.
NamedSizes assumedSizes(llvm::ArrayRef<EntryPlan> entries, const NamedSizes &at);

/// Prints the summary to `out`. `assumed` is the result of assumedSizes() by which `model` was explained; the summary
/// states these sizes.
void printSummary(const ExplainedModel &model, const NamedSizes &assumed, llvm::raw_ostream &out);

} // namespace attnc
