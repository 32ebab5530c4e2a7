//===- Peak.h - peak memory of an arena, and the values live at the peak ------------------------------------------===//
//
// A plan's sizes are functions of the dimensions; here they are evaluated, for reports and budgets.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Memory/Plan.h"
#include "llvm/Support/Error.h"

namespace attnc {

/// A size for each symbol of the plan: from `sizes`, but at most the dimension's bound; else the bound; for `workers`
/// from `sizes`, else 1. Fails if a dimension has neither a size nor a bound.
llvm::Expected<std::vector<int64_t>> sizesAt(const EntryPlan &plan, const NamedSizes &sizes);
/// "batch=4, seq=1024, workers=1".
std::string sizesText(const EntryPlan &plan, llvm::ArrayRef<int64_t> sizes);

/// The arena of an entry point for some sizes, and the step with the largest sum of bytes of live storages.
struct MemoryPeak {
  int64_t arenaBytes = 0;
  int64_t liveBytes = 0; ///< that sum; the rest of the arena is fragmentation
  std::string during;    ///< the op of the step (stepName), mostly a kernel
  struct Resident {
    std::string name;
    int64_t bytes;
  };
  std::vector<Resident> residents; ///< live storages at the peak, largest first
};

/// `sizes` has a size for each symbol (sizesAt).
MemoryPeak peakOf(const EntryPlan &plan, llvm::ArrayRef<int64_t> sizes);

/// "823.4 MB" (10^6 bytes); below 0.1 MB "99000 bytes".
std::string megabytes(int64_t bytes);
/// Prints the residents of the peak as lines of "  823.4 MB  name": at most `most`, and one for the sum of the rest.
void printResidents(const MemoryPeak &peak, size_t most, llvm::raw_ostream &out);

} // namespace attnc
