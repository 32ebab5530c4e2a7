//===- Phases.h - the list of phases ----------------------------------------------------------------------------===//
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

/// A phase with the name of --emit, and a phrase for what it produces.
struct PhaseInfo {
  Phase phase;
  llvm::StringLiteral name, makes;
};

llvm::ArrayRef<PhaseInfo> phases();
llvm::StringRef nameOf(Phase phase);
std::optional<Phase> phaseNamed(llvm::StringRef name);

} // namespace attnc
