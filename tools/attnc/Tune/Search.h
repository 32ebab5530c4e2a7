//===- Search.h - what a search for schedules has tried -----------------------------------------------------------===//
//
// Of each kernel the best overrides so far and those that were tried, as a file beside the database while a search is
// under way: with it a search that was stopped goes on.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Interface/Kernel.h"
#include "compiler/Codegen/Target/Target.h"
#include "llvm/Support/Error.h"
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace attnc {

/// Keys and values, of an override or of what a kernel has: its emitter, and its schedule.
using Settings = std::map<std::string, std::string>;
inline constexpr const char *emitterKey = "emitter";

/// Overrides of kernels, by name.
using Changes = std::map<std::string, Settings>;

std::string textOf(const Settings &settings);
std::pair<Changes, Changes> halvesOf(const Changes &changes);

/// All keys that a search changes.
std::vector<std::string> searchedKeys();

struct KernelSearch {
  std::string name, fingerprint;
  KernelKind kind = KernelKind::Loops;
  Settings best;               ///< overrides
  std::set<std::string> tried; ///< texts of overrides, also of those that can't be had

  /// Overrides that were not tried: the best ones with one thing changed, that of a key of `only`, if it has any. `has`
  /// is what the kernel has with the best ones, its emitter among it; `emitters` are all that there are.
  std::vector<Settings> open(const Settings &has, llvm::ArrayRef<std::string> emitters, const Target &target,
                             llvm::ArrayRef<std::string> only) const;
};

std::string searchText(llvm::ArrayRef<KernelSearch> kernels);
/// Takes over what a file says of kernels of the same fingerprint.
llvm::Error resumeSearch(llvm::StringRef path, llvm::StringRef text, llvm::MutableArrayRef<KernelSearch> kernels);

} // namespace attnc
