//===- Files.h - source files of a program, loaded through `use` --------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

/// Owns the syntax trees of the files.
class Files {
public:
  Files(SourceManager &sources, DiagnosticEngine &diagnostics, Reporter &reporter)
      : sources(sources), diagnostics(diagnostics), reporter(reporter) {}

  /// Parses a file and the files that it uses. `name` is the last word of the `use`; empty for the model file.
  SourceUnit *load(FileId file, std::string name);
  /// Loads a file of the prelude.
  SourceUnit *loadPrelude(const std::string &name);

private:
  SourceUnit *loadUsed(const ast::UseDecl &use, SourceUnit &user);

  SourceManager &sources;
  DiagnosticEngine &diagnostics;
  Reporter &reporter;
  std::vector<std::unique_ptr<SourceUnit>> units;
};

} // namespace attnc::check
