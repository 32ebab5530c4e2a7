//===- SourceOptions.h - options of the compile of a model --------------------------------------------------------===//
//
// Shared by compile, explain, describe, run and others: the file, --target, --emitter, --set, --prefix, --override,
// --strategy, --require-fused, --memory-budget, --at and --precision. They say how a model is compiled; an object
// (.o), which describe and run take as well, is compiled already, and so they are refused beside one.
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
  /// What the command takes: a model or a module, or one of these or an object.
  enum class Takes { Models, ModelsAndObjects };
  void addTo(CLI::App &command, Takes takes);

  const std::string &input() const { return compile.input; }
  bool isObject() const { return llvm::StringRef(compile.input).ends_with(".o"); }
  bool isModel() const { return llvm::StringRef(compile.input).ends_with(".attn"); }
  /// Links the object, or compiles the model in memory. Where that fails: says why, sets `exitCode`, answers nothing.
  std::optional<LoadedModel> load(ExitCode &exitCode) const;
  /// The same; `made` keeps what was compiled, and stays null of an object.
  std::optional<LoadedModel> load(ExitCode &exitCode, std::unique_ptr<Compilation> &made) const;

  /// The object's bytes, of a file or of what is compiled in memory; nothing of it is executed. Null as above.
  std::unique_ptr<llvm::MemoryBuffer> object(ExitCode &exitCode, std::unique_ptr<Compilation> &made) const;

  /// What the inputs of an entry point subscript, as the model is behind that phase; an object does not say.
  InputRanges rangesOf(const std::string &entry, Phase phase) const;

  CompileOptions compile;

private:
  void addSettings(CLI::App &command);
  void addEmitter(CLI::App &command);
  void addStrategy(CLI::App &command);
  void addMemory(CLI::App &command);
  void addPrecision(CLI::App &command);
  std::vector<const CLI::Option *> aboutSource;
  size_t fromFiles = 0; ///< overrides that come from files, in front of the others
};

} // namespace attnc
