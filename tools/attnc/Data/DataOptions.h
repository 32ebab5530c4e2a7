//===- DataOptions.h - options of commands that run a model over data ---------------------------------------------===//
#pragma once

#include "tools/attnc/Data/TrainingData.h"
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace attnc {

/// Options for the inputs of an entry point.
struct DataOptions {
  std::vector<std::string> data;   ///< a file, or `input=file` for each input from the data (TrainingData::read)
  std::vector<std::string> inputs; ///< `input=value`, the same in all batches (EntryInputs::read)
  BatchShape shape;
  double heldOut = 1; ///< the share of the data, at their end, that is used or held out
  /// The options that have no effect without data; each command appends its option for `heldOut`.
  std::vector<const CLI::Option *> aboutData;

  /// Adds options for all fields but `heldOut`; the present values of `shape` are the defaults.
  void addTo(CLI::App &command);
  /// Fails if an option is given that has no effect for `entry`, which has no inputs from data.
  llvm::Error checkNoData(const attn_entry_info &entry) const;
};

/// Options for data, parameters, seed and threads of an entry point that does not train.
struct InferenceOptions : DataOptions {
  std::string weights; ///< a .safetensors file; empty: initialised parameters
  uint64_t seed = 0;
  int64_t threads = 0;

  void addTo(CLI::App &command);
};

} // namespace attnc
