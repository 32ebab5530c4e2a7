//===- DataOptions.h - options of commands that run a model over data ---------------------------------------------===//
#pragma once

#include "tools/attnc/Data/TrainingData.h"
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace attnc {

/// Data in batches, the parameters, and what draws and threads are by.
struct DataOptions {
  std::vector<std::string> data; ///< files
  std::string weights;           ///< a file; empty: parameters as they are initialised
  BatchShape shape;
  double heldOut = 1; ///< the share of the data, at their end, that is used; an option of each command
  uint64_t seed = 0;
  int64_t threads = 0;

  /// Adds options for all but `heldOut`; what `shape` is by then are the defaults.
  void addTo(CLI::App &command);
};

} // namespace attnc
