//===- Search.h - state of a search for schedules -----------------------------------------------------------------===//
//
// The best overrides so far and the tried ones, for each kernel. During a search they are in a file beside the
// database, from which an interrupted search continues.
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

/// Keys and values of overrides, or of a kernel's emitter and schedule.
using Settings = std::map<std::string, std::string>;
inline constexpr const char *emitterKey = "emitter";

/// Overrides by name of the kernel.
using Changes = std::map<std::string, Settings>;

std::string textOf(const Settings &settings);
std::pair<Changes, Changes> halvesOf(const Changes &changes);

/// All keys that a search changes.
std::vector<std::string> searchedKeys();

struct KernelSearch {
  std::string name, fingerprint;
  KernelKind kind = KernelKind::Loops;
  Settings best;               ///< overrides
  std::set<std::string> tried; ///< texts of overrides, including rejected ones

  /// The neighbours of `best` that were not tried: one key has another value. If `only` is not empty, it has the keys
  /// that may change. `has` are the settings of the kernel under `best`, including its emitter; `emitters` are the
  /// emitters of the target.
  std::vector<Settings> open(const Settings &has, llvm::ArrayRef<std::string> emitters, const Target &target,
                             llvm::ArrayRef<std::string> only) const;
};

std::string searchText(llvm::ArrayRef<KernelSearch> kernels);
/// Adds the state in the file's `text` to kernels with the same fingerprint; `path` is for messages.
llvm::Error resumeSearch(llvm::StringRef path, llvm::StringRef text, llvm::MutableArrayRef<KernelSearch> kernels);

} // namespace attnc
