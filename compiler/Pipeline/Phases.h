//===- Phases.h - the list of phases ------------------------------------------------------------------------------===//
//
// The only list of the phases of a compile, in order. `attnc compile --emit=NAME` prints the result of a phase and
// stops. attn-opt parses the dumps of import, raise, derive, fuse, narrow, generate, plan, host and lower.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace attnc {

enum class Phase { Parse, Check, Import, Raise, Derive, Fuse, Narrow, Generate, Plan, Host, Lower, Optimise, Emit };

/// A phase, its name in --emit=NAME and dumps, and a phrase that describes its result, for --help.
struct PhaseInfo {
  Phase phase;
  llvm::StringLiteral name, makes;
};

/// All phases, in order.
llvm::ArrayRef<PhaseInfo> phases();
/// The name of a phase: "parse", "check", ...
llvm::StringRef nameOf(Phase phase);
/// The phase with this name; null if there is none.
std::optional<Phase> phaseNamed(llvm::StringRef name);

} // namespace attnc
