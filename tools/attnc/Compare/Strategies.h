//===- Strategies.h - the strategies that `attnc compare` knows -------------------------------------------------===//
#pragma once

#include "tools/attnc/Candidates/Candidate.h"
#include "llvm/ADT/ArrayRef.h"

namespace attnc {

/// All of them, the first of which is the one without overrides.
std::vector<NamedStrategy> knownStrategies();
/// Those of these names, and "default" in front; an error names the nearest.
llvm::Expected<std::vector<NamedStrategy>> strategiesNamed(llvm::ArrayRef<std::string> names);
/// A file's, named as the file is.
llvm::Expected<NamedStrategy> strategyOfFile(const std::string &path);

} // namespace attnc
