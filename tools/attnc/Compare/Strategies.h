//===- Strategies.h - predefined strategies of `attnc compare` --------------------------------------------------===//
#pragma once

#include "tools/attnc/Candidates/Candidate.h"
#include "llvm/ADT/ArrayRef.h"

namespace attnc {

/// All predefined strategies; the first one has no overrides.
std::vector<NamedStrategy> knownStrategies();
/// The strategies with these names, preceded by "default". Fails if a name is unknown; the message has the nearest one.
llvm::Expected<std::vector<NamedStrategy>> strategiesNamed(llvm::ArrayRef<std::string> names);
/// The overrides in a strategy file. The strategy has the name of the file, without folder and extension.
llvm::Expected<NamedStrategy> strategyOfFile(const std::string &path);

} // namespace attnc
