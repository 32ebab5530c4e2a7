//===- InvocationOptions.h - options of one call of an entry point ------------------------------------------------===//
//
// Options that commands which call a model, such as run and bench, have in common.
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
  std::vector<std::string> inputs;       ///< name=values (InputValues.h)
  std::vector<std::string> dims;         ///< name=size
  std::string weights;                   ///< a .safetensors file; empty: embedded values, or else random ones
  std::vector<std::string> vocabularies; ///< Vocabularies::open()
  bool allowExtra = false;               ///< ignore tensors of the weights file that are no parameters
  bool keepsParameters = false;          ///< keep parameters that kernels read only packed in parameters()
  bool fillMissing = false;              ///< inputs that `inputs` does not name are random
  InputRanges ranges;                    ///< upper limits of random i32 inputs
  uint64_t seed = 0;
  int64_t threads = 0; ///< 0: one for each processor

  /// Adds --entry, --input, --dim, --weights, --vocabulary, --allow-extra, --seed and --threads.
  void addTo(CLI::App &command);
};

} // namespace attnc
