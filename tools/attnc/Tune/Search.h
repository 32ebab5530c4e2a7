//===- Search.h - state of a search for schedules -----------------------------------------------------------------===//
//
// The state consists of the best overrides so far and the tried overrides, for each kernel. During a search it is in a
// file beside the database, from which an interrupted search continues.
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

/// The settings as one text, "emitter=cpu mr=8".
std::string textOf(const Settings &settings);
/// Divides the kernels of `changes` into two halves, in the order of their names.
std::pair<Changes, Changes> halvesOf(const Changes &changes);

/// All keys that a search changes: `emitter`, and the schedule keys with a range or a list of words.
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

/// The state of the search as JSON.
std::string searchText(llvm::ArrayRef<KernelSearch> kernels);
/// Copies the state in `text`, which searchText has written, to the kernels with the same fingerprint. Fails if the
/// text has another form; `path` is for the message.
llvm::Error resumeSearch(llvm::StringRef path, llvm::StringRef text, llvm::MutableArrayRef<KernelSearch> kernels);

} // namespace attnc
