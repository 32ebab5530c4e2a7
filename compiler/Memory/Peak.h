//===- Peak.h - peak memory of an arena, and the values live at the peak ------------------------------------------===//
//
// The sizes of a plan (Plan.h) are functions of the dimensions. The functions below evaluate them for certain
// dimensions, for reports and for `--memory-budget`.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Memory/Plan.h"
#include "llvm/Support/Error.h"

namespace attnc {

/// Returns a size for each of plan.symbols, in order. A dimension has the size in `sizes`, the first one if there are
/// several, but at most its bound; if `sizes` lacks it, its bound. `workers` has the size in `sizes`, or 1. Fails if a
/// dimension has neither a size nor a bound.
llvm::Expected<std::vector<int64_t>> sizesAt(const EntryPlan &plan, const NamedSizes &sizes);
/// The result of sizesAt() as text: "batch=4, seq=1024, workers=1".
std::string sizesText(const EntryPlan &plan, llvm::ArrayRef<int64_t> sizes);

/// The memory of an entry point for certain sizes. The peak is the step, an op of the entry point, at which the
/// storages that are live together have the most bytes; the first one among equals.
struct MemoryPeak {
  int64_t arenaBytes = 0; ///< size of the arena
  int64_t liveBytes = 0;  ///< bytes of the live storages at the peak; the rest of the arena is fragmentation
  std::string during;     ///< the op of the peak (stepName), mostly a kernel
  /// A live storage.
  struct Resident {
    std::string name; ///< Storage::name
    int64_t bytes;
  };
  std::vector<Resident> residents; ///< live storages at the peak, largest first
};

/// The peak of a plan; `sizes` is a result of sizesAt().
MemoryPeak peakOf(const EntryPlan &plan, llvm::ArrayRef<int64_t> sizes);

/// Text such as "823.4 MB", where 1 MB is 10^6 bytes; below 0.1 MB "99000 bytes".
std::string megabytes(int64_t bytes);
/// Prints the residents of the peak as lines of "  823.4 MB  name": at most `most`, and one for the sum of the rest.
void printResidents(const MemoryPeak &peak, size_t most, llvm::raw_ostream &out);

} // namespace attnc
