//===- TuningDatabase.h - the schedules that were measured to be better -------------------------------------------===//
//
// A file of JSON that `attnc tune` writes and compiles read (docs/tuning.md):
//
//   {"format": 1, "entries": [
//     {"kernel": "5d0c...", "kind": "gemm", "target": "znver4", "sizes": {"batch": 1, "seq": 128}, "workers": 1,
//      "overrides": {"mr": "8"}, "gain": 1.21, "seconds": 1.2e-05}]}
//
// `kernel` is the fingerprint of its structure (KernelStructure.h), so an entry is for any model that has it.
// `sizes` are a class: the dimensions of the call that was measured, each rounded up to a power of two. `gain` is
// the default's time over the tuned one's, both measured in turns. One entry is kept for each kernel, target, sizes and
// workers: that of the larger gain, of equal ones that of the shorter time, then the first in the order of texts. So
// merging files gives the same file in any order.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Schedule/Override.h"
#include "llvm/ADT/ArrayRef.h"
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

namespace attnc {

struct TuningEntry {
  std::string kernel, kind, target;
  std::map<std::string, int64_t> sizes;
  int64_t workers = 1;
  std::map<std::string, std::string> overrides; ///< keys and values of a kernel's overrides
  double gain = 1, seconds = 0;

  auto key() const { return std::tie(kernel, target, sizes, workers); }
  bool isBetterThan(const TuningEntry &other) const;
  bool operator==(const TuningEntry &) const = default;
};

/// The class of sizes that a call is in.
std::map<std::string, int64_t> sizeClass(llvm::ArrayRef<std::pair<std::string, int64_t>> sizes);

class TuningDatabase {
public:
  static constexpr int64_t format = 1;

  /// Errors say what is wrong at `path`, and what was expected.
  static llvm::Expected<TuningDatabase> parse(llvm::StringRef path, llvm::StringRef text);
  static llvm::Expected<TuningDatabase> load(const std::string &path);
  std::string text() const;

  /// Keeps the better one where there is one of that key.
  void add(TuningEntry entry);
  void add(const TuningDatabase &other);

  /// The entry for a kernel on a target: of several the one of the nearest sizes, by ratio; where sizes are not known,
  /// or equally near, that which takes longest, for there is most to gain. Null where there is none.
  const TuningEntry *find(llvm::StringRef kernel, llvm::StringRef target,
                          llvm::ArrayRef<std::pair<std::string, int64_t>> at) const;

  const std::vector<TuningEntry> &entries() const { return all; }
  bool empty() const { return all.empty(); }

private:
  std::vector<TuningEntry> all; ///< ordered by key
};

} // namespace attnc
