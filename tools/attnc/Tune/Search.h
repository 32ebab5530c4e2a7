//===- Search.h - state of a search for schedules -----------------------------------------------------------------===//
//
// The state consists of the best overrides so far and the tried overrides, for each kernel. During a search, `attnc
// tune` keeps the state in a file beside the tuning database, from which an interrupted search continues.
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

/// Values by key ("mr" -> "8"): overrides of one kernel, or the emitter and the chosen schedule of a compiled kernel.
using Settings = std::map<std::string, std::string>;
inline constexpr const char *emitterKey = "emitter";

/// Overrides by name of the kernel.
using Changes = std::map<std::string, Settings>;

/// The settings as one text, in the order of keys: "emitter=cpu mr=8".
std::string textOf(const Settings &settings);
/// Divides the kernels of `changes` into two halves, in the order of their names; of an odd number, the second half has
/// one more.
std::pair<Changes, Changes> halvesOf(const Changes &changes);

/// All keys that a search changes: `emitter`, and the schedule keys with a range or a list of words.
std::vector<std::string> searchedKeys();

/// The state of the search for one kernel.
struct KernelSearch {
  std::string name, fingerprint; ///< symbol, and hash of the kernel's computation
  KernelKind kind = KernelKind::Loops;
  Settings best;               ///< the best overrides so far; empty: the compiler's choices
  std::set<std::string> tried; ///< textOf() of the tried overrides, also of rejected ones

  /// The neighbours of `best` that were not tried: `best` with another value of one key. `has` are the settings of the
  /// kernel compiled with `best`, including its emitter. `emitters` are the names of the emitters for `target`. `only`
  /// has the keys that may change; if it is empty, all may.
  std::vector<Settings> open(const Settings &has, llvm::ArrayRef<std::string> emitters, const Target &target,
                             llvm::ArrayRef<std::string> only) const;
};

/// The state of the search as JSON.
std::string searchText(llvm::ArrayRef<KernelSearch> kernels);
/// Copies the state in `text`, the content of a file that has the result of searchText(), to the elements of `kernels`
/// with the same fingerprint. An error if the text has another form; the message names the file `path`.
llvm::Error resumeSearch(llvm::StringRef path, llvm::StringRef text, llvm::MutableArrayRef<KernelSearch> kernels);

} // namespace attnc
