//===- Files.h - source files of a program, loaded through `use` --------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

/// Loads the files of a program: the model file, and the files that it uses. Owns their SourceUnits and with them the
/// ASTs.
class Files {
public:
  Files(SourceManager &sources, DiagnosticEngine &diagnostics, Reporter &reporter)
      : sources(sources), diagnostics(diagnostics), reporter(reporter) {}

  /// Parses a file of the source manager, checks its names (DeclaredNames.h) and loads the files that it uses. `name`
  /// is the last word of the `use`; empty for the model file. Never returns null. After an error the AST or `uses` may
  /// be incomplete: if the file has a syntax error, or if an error has been reported before, also one of another file,
  /// no used file is loaded and no name is checked.
  SourceUnit *load(FileId file, std::string name);
  /// Loads the file `name` of the prelude (Check.h), anew at each call; an empty file if the prelude has none of that
  /// name.
  SourceUnit *loadPrelude(const std::string &name);

private:
  /// Loads the file that a `use` in the file `user` means: one in the folder of `user`, otherwise one of the prelude;
  /// if `user` is in the prelude, always one of the prelude. Null, with an error, if there is none or the first one
  /// can't be read. A file that is used twice is loaded once.
  SourceUnit *loadUsed(const ast::UseDecl &use, SourceUnit &user);

  SourceManager &sources;
  DiagnosticEngine &diagnostics;
  Reporter &reporter;
  std::vector<std::unique_ptr<SourceUnit>> units;
};

} // namespace attnc::check
