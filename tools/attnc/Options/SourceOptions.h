//===- SourceOptions.h - options of the compile of a model --------------------------------------------------------===//
//
// Common options of compile, explain, describe, run and others: the file, --target, --emitter, --set, --prefix,
// --override, --strategy, --require-fused, --memory-budget, --at and --precision. Some commands also accept an object
// (.o). It is compiled already, so these options are rejected for it.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Pipeline/Compile.h"
#include "tools/attnc/Call/InputRanges.h"
#include "tools/attnc/Call/LoadedModel.h"
#include "tools/attnc/Messages/Messages.h"
#include <CLI/CLI.hpp>

namespace attnc {

class SourceOptions {
public:
  /// The files that a command accepts: models and modules, or these and objects.
  enum class Takes { Models, ModelsAndObjects };
  void addTo(CLI::App &command, Takes takes);

  const std::string &input() const { return compile.input; }
  bool isObject() const { return llvm::StringRef(compile.input).ends_with(".o"); }
  bool isModel() const { return llvm::StringRef(compile.input).ends_with(".attn"); }
  /// Links the object, or compiles the model in memory and links the result. On failure prints the error, sets
  /// `exitCode` and returns null.
  std::optional<LoadedModel> load(ExitCode &exitCode) const;
  /// Does the same; `made` receives the compile, and remains null for an object.
  std::optional<LoadedModel> load(ExitCode &exitCode, std::unique_ptr<Compilation> &made) const;

  /// The bytes of the object, from a file or compiled in memory. Executes none of its code. On failure prints the
  /// error, sets `exitCode` and returns null. `made` is as for load().
  std::unique_ptr<llvm::MemoryBuffer> object(ExitCode &exitCode, std::unique_ptr<Compilation> &made) const;

  /// The ranges of an entry point's inputs, from the module after `phase`; empty for an object. Compiles the model up
  /// to that phase.
  InputRanges rangesOf(const std::string &entry, Phase phase) const;

  CompileOptions compile;

private:
  void addSettings(CLI::App &command);
  void addEmitter(CLI::App &command);
  void addStrategy(CLI::App &command);
  void addMemory(CLI::App &command);
  void addPrecision(CLI::App &command);
  std::vector<const CLI::Option *> aboutSource; ///< the options that are rejected for an object
  size_t fromFiles = 0;                         ///< number of overrides from files, which precede the others
};

} // namespace attnc
