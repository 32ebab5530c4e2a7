//===- WeightsOption.h - the option for files of weights ----------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace attnc {

/// Adds an option for files of weights (WeightsFiles.h), --weights or --init, that may be given several times.
/// `purpose` begins its description.
CLI::Option *addWeightsOption(CLI::App &command, const std::string &name, std::vector<std::string> &paths,
                              const std::string &purpose);

/// The folder of the first one of the paths `weights`: the path itself if it is a folder, "." if it is the name of a
/// file without a folder; empty without paths.
std::string folderOfWeights(llvm::ArrayRef<std::string> weights);

} // namespace attnc
