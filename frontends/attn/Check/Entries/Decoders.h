//===- Decoders.h - loops that write tokens: `decode(next, with: greedy, stop: 0, at_most: 64)` -------------------===//
//
// The loop calls an entry point that computes position by position, and a sampler: a function that chooses a token from
// the logits of one position.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Entries/Derivation.h"
#include "frontends/attn/Check/Entries/Entries.h"
#include "frontends/attn/Check/Modules/Modules.h"
#include "frontends/attn/Check/Names/Files.h"
#include "frontends/attn/Check/Options.h"

namespace attnc::check {

class Decoders {
public:
  Decoders(typed::Program &program, Reporter &reporter, Builder &build, Files &files, Modules &modules,
           Entries &entries, ExpressionChecker &expressions)
      : program(program), reporter(reporter), build(build), files(files), modules(modules), entries(entries),
        expressions(expressions) {}

  void decode(const Derivation &derivation, const ast::ExportDecl &decl, Scope &scope);
  /// Adds the loop that a command requests, where the file does not export it.
  void addWriter(const WriterRequest &wanted);

private:
  /// The sampler, `with:`: a function by its name, or that of a module with its hyperparameters.
  std::optional<FunctionValue> sampler(const ast::Expr &with, Scope &scope);
  Value samplerModule(const ast::CallExpr &call, const ClassValue &cls, Scope &scope);
  /// A compile-time integer, at least `least`; reports other values.
  std::optional<int64_t> count(const ast::Argument &argument, int64_t least, Scope &scope);

  typed::Program &program;
  Reporter &reporter;
  Builder &build;
  Files &files;
  Modules &modules;
  Entries &entries;
  ExpressionChecker &expressions;
};

} // namespace attnc::check
