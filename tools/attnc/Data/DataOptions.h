//===- DataOptions.h - options of commands that run a model over data ---------------------------------------------===//
#pragma once

#include "tools/attnc/Data/TrainingData.h"
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace attnc {

/// Options for data, batches, parameters, seed and threads.
struct DataOptions {
  std::vector<std::string> data; ///< a file, or `input=file` for each input (TrainingData::read)
  std::string weights;           ///< a .safetensors file; empty: initialised parameters
  BatchShape shape;
  double heldOut = 1; ///< the share of the data, at their end, that is used; each command adds its own option
  uint64_t seed = 0;
  int64_t threads = 0;

  /// Adds options for all fields but `heldOut`; the present values of `shape` are the defaults.
  void addTo(CLI::App &command);
};

} // namespace attnc
