//===- Files.h - source files of a program, loaded through `use` --------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

/// Loads the files of a program and owns their syntax trees.
class Files {
public:
  Files(SourceManager &sources, DiagnosticEngine &diagnostics, Reporter &reporter)
      : sources(sources), diagnostics(diagnostics), reporter(reporter) {}

  /// Parses a file, checks its names (DeclaredNames.h) and loads the files that it uses. `name` is the last word of the
  /// `use`; empty for the model file. Never null; after an error the AST or `uses` is incomplete.
  SourceUnit *load(FileId file, std::string name);
  /// Loads a file of the prelude; an empty file if the prelude has none of that name.
  SourceUnit *loadPrelude(const std::string &name);

private:
  /// Loads the file that a `use` means: one beside `user`, otherwise one of the prelude. Null, with an error, if there
  /// is none. A file that is used twice is loaded once.
  SourceUnit *loadUsed(const ast::UseDecl &use, SourceUnit &user);

  SourceManager &sources;
  DiagnosticEngine &diagnostics;
  Reporter &reporter;
  std::vector<std::unique_ptr<SourceUnit>> units;
};

} // namespace attnc::check
