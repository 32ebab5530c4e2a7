//===- Peak.h - what lives in an arena at its fullest -------------------------------------------------------------===//
//
// A plan's sizes are functions of the dimensions; here they are numbers, for people and for budgets.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Memory/Plan.h"
#include "llvm/Support/Error.h"

namespace attnc {

/// A size for each symbol of the plan: as `sizes` says, else a dimension's bound, and one worker. Fails where a
/// dimension has neither.
llvm::Expected<std::vector<int64_t>> sizesAt(const EntryPlan &plan, const NamedSizes &sizes);
/// "batch=4, seq=1024, workers=1".
std::string sizesText(const EntryPlan &plan, llvm::ArrayRef<int64_t> sizes);

struct MemoryPeak {
  int64_t arenaBytes = 0;
  int64_t liveBytes = 0; ///< the most that lives at once; the rest of the arena is gaps then
  std::string during;    ///< the kernel that runs then
  struct Resident {
    std::string name;
    int64_t bytes;
  };
  std::vector<Resident> residents; ///< what lives then, the largest first
};

MemoryPeak peakOf(const EntryPlan &plan, llvm::ArrayRef<int64_t> sizes);

/// "823.4 MB".
std::string megabytes(int64_t bytes);
/// The peak as lines of "  823.4 MB  name", at most `most` of them and a line for the others.
void printResidents(const MemoryPeak &peak, size_t most, llvm::raw_ostream &out);

} // namespace attnc
