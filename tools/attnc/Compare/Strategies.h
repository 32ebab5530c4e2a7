//===- Strategies.h - predefined strategies of `attnc compare` ----------------------------------------------------===//
#pragma once

#include "tools/attnc/Candidates/Candidate.h"
#include "llvm/ADT/ArrayRef.h"

namespace attnc {

/// All predefined strategies; the first one, "default", has no overrides.
std::vector<NamedStrategy> knownStrategies();
/// The predefined strategies with these names, in order and each once, preceded by "default". An error if a name is
/// unknown; the message has a similar name, if there is one.
llvm::Expected<std::vector<NamedStrategy>> strategiesNamed(llvm::ArrayRef<std::string> names);
/// Reads a file of overrides (docs/strategies.md), and sets `isOwn`. The strategy has the name of the file, without
/// folder and extension. An error if the file cannot be read, or if a line is not an override.
llvm::Expected<NamedStrategy> strategyOfFile(const std::string &path);

} // namespace attnc
