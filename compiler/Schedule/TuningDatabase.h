//===- TuningDatabase.h - database of measured schedules ----------------------------------------------------------===//
//
// A tuning database is a JSON file. `attnc tune` writes it, and the compile applies its schedules to kernels
// (Pipeline/Tuning.h, docs/tuning.md):
//
//   {"format": 1, "entries": [
//     {"kernel": "5d0c...", "kind": "gemm", "target": "znver4", "sizes": {"batch": 1, "seq": 128}, "workers": 1,
//      "overrides": {"mr": "8"}, "gain": 1.21, "seconds": 1.2e-05}]}
//
//   key           meaning
//   kernel        fingerprint of the kernel's structure (KernelStructure.h); the entry applies to each model that has a
//                 kernel of this structure
//   kind          the value of `attn.kernel`
//   target        LLVM's name of the processor
//   sizes         size class: the named dimensions of the measured call, each rounded up to a power of two
//   workers       number of threads of the measured call
//   overrides     schedule keys and `emitter`, with their values
//   gain          time of the default schedule divided by the time of the tuned one, from alternating measurements
//   seconds       time of the tuned kernel in one call
//
// The database has one entry for each kernel, target, size class and number of workers. If two entries have the same
// four, the one with the larger gain stays. If the gains are equal, the one with the shorter time stays; if the times
// are equal too, the one whose overrides come first in lexicographic order. Files can therefore be merged in any order,
// with the same result.
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

/// A measured schedule. The members are the keys of the file.
struct TuningEntry {
  std::string kernel, kind, target;
  std::map<std::string, int64_t> sizes;
  int64_t workers = 1;
  std::map<std::string, std::string> overrides; ///< schedule and emitter overrides, by key
  double gain = 1, seconds = 0;

  /// The four members that identify an entry, by reference.
  auto key() const { return std::tie(kernel, target, sizes, workers); }
  /// Whether this entry stays if both have the same key(): by gain, then seconds, then overrides.
  bool isBetterThan(const TuningEntry &other) const;
  bool operator==(const TuningEntry &) const = default;
};

/// The size class of a call whose dimensions have these names and sizes: each size rounded up to a power of two; a
/// size below 1 becomes 1.
std::map<std::string, int64_t> sizeClass(llvm::ArrayRef<std::pair<std::string, int64_t>> sizes);

class TuningDatabase {
public:
  static constexpr int64_t format = 1; ///< the version of the file's format

  /// Parses `text`, the content of the file `path`. An error, which names `path`, if `text` is not JSON of this format
  /// or if an entry lacks a key or has an invalid value, such as no override. Schedule keys and values in `overrides`
  /// are not checked.
  static llvm::Expected<TuningDatabase> parse(llvm::StringRef path, llvm::StringRef text);
  /// Reads and parses the file `path`; an unreadable file is an error.
  static llvm::Expected<TuningDatabase> load(const std::string &path);
  /// The content of the file, one entry on each line, sorted by key().
  std::string text() const;

  /// Adds an entry; the better one of two entries with the same key() stays.
  void add(TuningEntry entry);
  /// Adds all entries of another database.
  void add(const TuningDatabase &other);

  /// An entry with this fingerprint and target, measured with any number of workers; null if there is none. `at` has
  /// the names and sizes of the dimensions of an expected call. Among several entries, the result is the nearest one:
  /// the sum of |log2(ratio)| between its sizes and the size class of `at`, over the names that both have, is smallest;
  /// the sum is 0 if they have no common name. Among equally near entries, the result is the one with the longest
  /// `seconds`, because it has the most to gain. The pointer is valid until the database changes.
  const TuningEntry *find(llvm::StringRef kernel, llvm::StringRef target,
                          llvm::ArrayRef<std::pair<std::string, int64_t>> at) const;

  /// All entries, sorted by key().
  const std::vector<TuningEntry> &entries() const { return all; }
  bool empty() const { return all.empty(); }

private:
  std::vector<TuningEntry> all; ///< sorted by key
};

} // namespace attnc
