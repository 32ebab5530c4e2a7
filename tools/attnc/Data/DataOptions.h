//===- DataOptions.h - options of commands that run a model over data ---------------------------------------------===//
#pragma once

#include "tools/attnc/Data/TrainingData.h"
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace attnc {

/// Options for the inputs of an entry point.
struct DataOptions {
  std::vector<std::string> data;         ///< a file, or `input=file` for each input from the data (TrainingData::read)
  std::vector<std::string> inputs;       ///< `input=value`, the same in all batches (EntryInputs::read)
  std::vector<std::string> vocabularies; ///< Vocabularies::open()
  std::string folder;                    ///< of a training whose vocabularies are read; empty: none
  /// Whether vocabularies are made from the data, of words with at most `mostTokens` tokens, unless it is 0. The inputs
  /// `ownWords` have vocabularies of their own.
  bool makesVocabularies = false;
  int64_t mostTokens = 0;
  std::vector<std::string> ownWords;
  BatchShape shape;
  double heldOut = 1; ///< the share of the data, at their end, that is used or held out
  /// The options that have no effect without data; each command appends its option for `heldOut`.
  std::vector<const CLI::Option *> aboutData;

  /// Adds options for data, inputs, vocabularies and the shape; the present values of `shape` are the defaults.
  void addTo(CLI::App &command);
  /// Adds the options for the vocabularies that a training makes.
  void addVocabularySizesTo(CLI::App &command);
  /// Opens the vocabularies, or makes them from the data. Fails if an option for them has no effect.
  llvm::Expected<Vocabularies> readVocabularies() const;
  /// Fails if an option is given that has no effect for `entry`, which has no inputs from data.
  llvm::Error checkNoData(const attn_entry_info &entry) const;
};

/// Options for data, parameters, seed and threads of an entry point that does not train.
struct InferenceOptions : DataOptions {
  std::string weights; ///< a .safetensors file; empty: initialised parameters
  uint64_t seed = 0;
  int64_t threads = 0;

  void addTo(CLI::App &command);
  /// Sets the folder of the weights as that of the vocabularies; to be called after the command line is read.
  void findVocabularies();
};

} // namespace attnc
