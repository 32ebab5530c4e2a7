//===- Strategies.h - predefined strategies of `attnc compare` --------------------------------------------------===//
#pragma once

#include "tools/attnc/Candidates/Candidate.h"
#include "llvm/ADT/ArrayRef.h"

namespace attnc {

/// All predefined strategies; the first one has no overrides.
std::vector<NamedStrategy> knownStrategies();
/// The strategies with these names, preceded by "default". An error has the nearest name.
llvm::Expected<std::vector<NamedStrategy>> strategiesNamed(llvm::ArrayRef<std::string> names);
/// The strategy in a file, with the name of the file.
llvm::Expected<NamedStrategy> strategyOfFile(const std::string &path);

} // namespace attnc
