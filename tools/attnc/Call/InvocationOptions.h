//===- InvocationOptions.h - options of one call of an entry point ------------------------------------------------===//
//
// The options that run and bench share.
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
  std::string entry;               ///< may be empty where the model has one
  std::vector<std::string> inputs; ///< name=file, name=random, name=random:BOUND, name=zeros, name=iota
  std::vector<std::string> dims;   ///< name=size
  std::string weights;             ///< a .safetensors file; empty: embedded values, else drawn from the seed
  bool allowExtra = false;         ///< tensors of the weights file that the model does not know
  bool keepsParameters = false;    ///< parameters() has those too that kernels read packed alone
  bool fillMissing = false;        ///< inputs that are not named are random
  InputRanges ranges;              ///< of the i32 inputs that are drawn
  uint64_t seed = 0;
  int64_t threads = 0; ///< 0: one a processor

  /// Adds --entry, --input, --dim, --weights, --allow-extra, --seed and --threads.
  void addTo(CLI::App &command);
};

} // namespace attnc
