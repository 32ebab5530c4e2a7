//===- TuningDatabase.h - database of measured schedules ----------------------------------------------------------===//
//
// A JSON file that `attnc tune` writes and the compiler reads (docs/tuning.md):
//
//   {"format": 1, "entries": [
//     {"kernel": "5d0c...", "kind": "gemm", "target": "znver4", "sizes": {"batch": 1, "seq": 128}, "workers": 1,
//      "overrides": {"mr": "8"}, "gain": 1.21, "seconds": 1.2e-05}]}
//
// `kernel` is a fingerprint of the kernel's structure (KernelStructure.h), so an entry applies to every model with such
// a kernel. `sizes` is a size class: the dimensions of the measured call, each rounded up to a power of two. `gain` is
// the time of the default schedule divided by that of the tuned one, from alternating measurements. The database has
// one entry for each kernel, target, size class and number of workers: the one with the larger gain, then the shorter
// time, then the lexicographically smaller text. Merging files therefore gives the same file in any order.
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

/// A measured schedule; the fields are those of the file.
struct TuningEntry {
  std::string kernel, kind, target;
  std::map<std::string, int64_t> sizes;
  int64_t workers = 1;
  std::map<std::string, std::string> overrides; ///< schedule and emitter overrides, by key
  double gain = 1, seconds = 0;

  auto key() const { return std::tie(kernel, target, sizes, workers); }
  /// By the order above: gain, time, overrides.
  bool isBetterThan(const TuningEntry &other) const;
  bool operator==(const TuningEntry &) const = default;
};

/// The size class of a call: each size rounded up to a power of two.
std::map<std::string, int64_t> sizeClass(llvm::ArrayRef<std::pair<std::string, int64_t>> sizes);

class TuningDatabase {
public:
  static constexpr int64_t format = 1;

  /// Errors name `path` and the expected content.
  static llvm::Expected<TuningDatabase> parse(llvm::StringRef path, llvm::StringRef text);
  static llvm::Expected<TuningDatabase> load(const std::string &path);
  std::string text() const;

  /// Adds an entry; the better one of two entries with the same key remains.
  void add(TuningEntry entry);
  void add(const TuningDatabase &other);

  /// The entry for a kernel, by fingerprint, on a target, for any number of workers; null if there is none. Several
  /// entries: the one whose sizes are nearest to the size class of `at` by ratio; if several are equally near, or have
  /// no sizes, the one with the longest time, as it has the most to gain.
  const TuningEntry *find(llvm::StringRef kernel, llvm::StringRef target,
                          llvm::ArrayRef<std::pair<std::string, int64_t>> at) const;

  const std::vector<TuningEntry> &entries() const { return all; }
  bool empty() const { return all.empty(); }

private:
  std::vector<TuningEntry> all; ///< sorted by key
};

} // namespace attnc
