//===- SourceOptions.h - options of the compile of a model --------------------------------------------------------===//
//
// Common options of compile, explain, describe, run and others: the input file, --target, --emitter, --set, --prefix,
// --override, --strategy, --tuning, --require-fused, --memory-budget, --at and --precision. Some commands also accept
// an object (.o) as the input. An object is compiled already, so all other options are rejected for an object.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Pipeline/Compile.h"
#include "tools/attnc/Call/InputRanges.h"
#include "tools/attnc/Call/LoadedModel.h"
#include "tools/attnc/Messages/Messages.h"
#include <CLI/CLI.hpp>

namespace attnc {

/// The options of one command. The parse of the command line fills `compile`; the other functions are for use after it.
class SourceOptions {
public:
  /// The inputs in a command's help: models (.attn), folders of checkpoints and MLIR modules (.mlir), or these and
  /// objects (.o).
  enum class Takes { Models, ModelsAndObjects };
  /// Adds the options to a command. This object must outlive the parse, at the same address.
  void addTo(CLI::App &command, Takes takes);

  /// If the input is the folder of a checkpoint, makes it and --adapter the default of `weights`, a member of the
  /// command's options.
  void takeWeights(CLI::App &command, std::vector<std::string> &weights);
  /// The weights of the folder of a checkpoint, and of --adapter; empty for other inputs.
  std::vector<std::string> ownWeights() const;

  /// Adds --train, by which the folder of a checkpoint has a training step.
  void takeTraining(CLI::App &command);

  const std::string &input() const { return compile.input; } ///< path of the input file or folder
  bool isObject() const { return llvm::StringRef(compile.input).ends_with(".o"); }
  bool isModel() const { return llvm::StringRef(compile.input).ends_with(".attn"); }
  /// Loads the input for calls: links the object, or compiles the model in memory and links the result. On failure
  /// prints the errors to standard error, sets `exitCode` and returns null. `made`, unless null, receives the results
  /// of the compile; for an object, `*made` is unchanged. Without `made`, an object of the cache starts sooner.
  std::optional<LoadedModel> load(ExitCode &exitCode, std::unique_ptr<Compilation> *made = nullptr) const;

  /// The bytes of the object, read from the input or compiled in memory, without linking it. On failure prints the
  /// errors, sets `exitCode` and returns null. `made` is as for load().
  std::unique_ptr<llvm::MemoryBuffer> object(ExitCode &exitCode, std::unique_ptr<Compilation> *made = nullptr) const;

  /// The ranges of the inputs of the entry points `entries` (InputRanges.h); an input of several has the limits of all.
  /// Compiles the model up to `phase`, one from import to derive, without printing messages, and reads the ranges from
  /// the resulting module. Empty for an object, or if the compile fails.
  InputRanges rangesOf(llvm::ArrayRef<std::string> entries, Phase phase) const;
  /// The number of different tokens that the decoding loop which `compile` requests can read; 0 for an object, or if
  /// any token can be read.
  int64_t tokensOfWriter() const;

  CompileOptions compile; ///< values of the options, and the input file

private:
  void addSettings(CLI::App &command);
  void addEmitter(CLI::App &command);
  void addStrategy(CLI::App &command);
  void addMemory(CLI::App &command);
  void addPrecision(CLI::App &command);
  void addAdapters(CLI::App &command);
  std::vector<const CLI::Option *> aboutSource; ///< the options that are rejected for an object
  size_t fromFiles = 0; ///< number of overrides of --strategy, which precede those of --override in compile.overrides
};

} // namespace attnc
