//===- Peak.h - peak memory of an arena, and the values live at the peak ------------------------------------------===//
//
// A plan's sizes are functions of the dimensions; here they are evaluated, for reports and budgets.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Memory/Plan.h"
#include "llvm/Support/Error.h"

namespace attnc {

/// A size for each symbol of the plan: from `sizes`, else the dimension's bound, and one worker. Fails if a dimension
/// has neither.
llvm::Expected<std::vector<int64_t>> sizesAt(const EntryPlan &plan, const NamedSizes &sizes);
/// "batch=4, seq=1024, workers=1".
std::string sizesText(const EntryPlan &plan, llvm::ArrayRef<int64_t> sizes);

struct MemoryPeak {
  int64_t arenaBytes = 0;
  int64_t liveBytes = 0; ///< largest sum of live storages; the rest of the arena is fragmentation
  std::string during;    ///< the kernel at the peak
  struct Resident {
    std::string name;
    int64_t bytes;
  };
  std::vector<Resident> residents; ///< live storages at the peak, largest first
};

MemoryPeak peakOf(const EntryPlan &plan, llvm::ArrayRef<int64_t> sizes);

/// "823.4 MB".
std::string megabytes(int64_t bytes);
/// Prints the peak as lines of "  823.4 MB  name": at most `most`, and one for the rest.
void printResidents(const MemoryPeak &peak, size_t most, llvm::raw_ostream &out);

} // namespace attnc
