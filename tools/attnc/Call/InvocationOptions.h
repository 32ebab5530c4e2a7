//===- InvocationOptions.h - options of one call of an entry point ------------------------------------------------===//
//
// Common options of the commands that call a model, such as run and bench. Invocation::create() reads them.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "tools/attnc/Call/InputRanges.h"
#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace attnc {

struct InvocationOptions {
  std::string entry;                     ///< name of the entry point; may be empty if the model has only one
  std::vector<std::string> inputs;       ///< each NAME=VALUES (InputValues.h)
  std::vector<std::string> dims;         ///< each NAME=SIZE; a file's size has precedence
  std::vector<std::string> weights;      ///< paths (WeightsFiles.h); empty: embedded values, or else random ones
  std::vector<std::string> vocabularies; ///< values of --vocabulary, for Vocabularies::open()
  bool allowExtra = false;               ///< ignore tensors of the weights file that are no parameters
  bool keepsParameters = false;          ///< keep a copy of parameters that kernels read only packed in their own order
  bool fillMissing = false;              ///< inputs not in `inputs` are random, otherwise errors; states are zeros
  InputRanges ranges;                    ///< upper limits of random i32 inputs; without a limit: 4
  uint64_t seed = 0;                     ///< of random weights and inputs
  int64_t threads = 0;                   ///< number of threads; 0: one for each processor

  /// Adds --entry, --input, --dim, --weights, --vocabulary, --allow-extra, --seed and --threads to a command, whose
  /// parse sets the members. The other members have no option here.
  void addTo(CLI::App &command);
};

} // namespace attnc
