//===- Summary.h - summary of an explained model ------------------------------------------------------------------===//
//
// The default output of `attnc explain`. A line for each kernel has its place in the model, its time in a call of the
// first entry point that runs it, its share of that call and the work that is fused into it. Then come the costliest
// edges that were not fused, each with the change of the model that would fuse it. Lines have at most 120 columns.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/ExplainedModel/ExplainedModel.h"
#include "llvm/Support/raw_ostream.h"

namespace attnc {

/// Sizes for dimensions without a bound that `at` does not name, so that a summary has times: 1 for `batch`, 256 for
/// others.
NamedSizes assumedSizes(llvm::ArrayRef<EntryPlan> entries, const NamedSizes &at);

/// `assumed` are the sizes from assumedSizes; the summary states them.
void printSummary(const ExplainedModel &model, const NamedSizes &assumed, llvm::raw_ostream &out);

} // namespace attnc
