//===- DataOptions.h - options of commands that run a model over data ---------------------------------------------===//
#pragma once

#include "tools/attnc/Data/TrainingData.h"
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace attnc {

/// Options for the inputs of an entry point that is called for many batches. TrainingData::read() reads the inputs.
struct DataOptions {
  std::vector<std::string> data;         ///< --data: one FILE of tokens, or INPUT=FILE for each input from the data
  std::vector<std::string> inputs;       ///< --input: INPUT=VALUE, the same in all batches (EntryInputs::read)
  std::vector<std::string> vocabularies; ///< --vocabulary, for Vocabularies::open()
  std::string folder;                    ///< folder of a training whose vocabularies are read; empty: none
  bool makesVocabularies = false;        ///< whether vocabularies are made from the data (Vocabularies::build)
  int64_t mostTokens = 0;                ///< --vocab-size: largest vocabulary of words that is made; 0: no limit
  std::vector<std::string> ownWords;     ///< inputs of words for which vocabularies of their own are made
  BatchShape shape;                      ///< --batch and --seq
  double heldOut = 1; ///< share of the data, 0 to 1, at their end: held out in training, the part used in inference
  /// The options that have no effect without data; each command appends its option for `heldOut`.
  std::vector<const CLI::Option *> aboutData;

  /// Adds --data, --input, --vocabulary, --batch and --seq to a command, whose parse sets the members. The present
  /// values of `shape` are the defaults.
  void addTo(CLI::App &command);
  /// Adds --vocab-size and --own-vocabulary, for vocabularies that a training makes.
  void addVocabularySizesTo(CLI::App &command);
  /// Opens the vocabularies and, if makesVocabularies, makes missing ones from the data. An error if a file of the data
  /// cannot be read, if --vocabulary names an input twice, or if an option for vocabularies has no effect. Files of
  /// existing vocabularies are read, and their errors occur, at the first lookup.
  llvm::Expected<Vocabularies> readVocabularies() const;
  /// An error if an option of `aboutData` is given. Called if `entry` has no inputs from data.
  llvm::Error checkNoData(const attn_entry_info &entry) const;
};

/// Options for data, parameters, seed and threads of an entry point that does not train.
struct InferenceOptions : DataOptions {
  std::vector<std::string> weights; ///< paths (WeightsFiles.h); empty: embedded or initialised parameters
  uint64_t seed = 0;                ///< of random draws and of initialised parameters
  int64_t threads = 0;              ///< 0: one for each processor

  /// Adds the options of DataOptions, --weights, --seed and --threads.
  void addTo(CLI::App &command);
  /// Sets `folder` to the folder of `weights`, where a training stored its vocabularies. Called after the parse.
  void findVocabularies();
};

} // namespace attnc
