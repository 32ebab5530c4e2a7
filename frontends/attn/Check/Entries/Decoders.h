//===- Decoders.h - decoding loops: `decode(next, with: greedy, stop: 0, at_most: 64)` ----------------------------===//
//
// The loop calls an entry point that computes position by position, and a sampler, which chooses a token from the
// logits of one position.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Entries/Derivation.h"
#include "frontends/attn/Check/Entries/Entries.h"
#include "frontends/attn/Check/Modules/Modules.h"
#include "frontends/attn/Check/Names/Files.h"
#include "frontends/attn/Check/Options.h"

namespace attnc::check {

/// Checker of `decode`.
class Decoders {
public:
  Decoders(typed::Program &program, Reporter &reporter, LetBuilder &lets, Files &files, Modules &modules,
           Entries &entries, ExpressionChecker &expressions)
      : program(program), reporter(reporter), lets(lets), files(files), modules(modules), entries(entries),
        expressions(expressions) {}

  /// Adds the entry point `decl.name`, the sampler with its decoding loop, for a derivation by `decode`, and its name
  /// to `unit`, the file. The entry point that it calls is exported before it. Reports errors, after which the program
  /// may lack the loop.
  void decode(const Derivation &derivation, const ast::ExportDecl &decl, SourceUnit &unit, Scope &scope);
  /// Adds the decoding loop that a command requests, as WriterRequest specifies.
  void addWriter(const WriterRequest &wanted);

private:
  /// Returns the sampler, `with:`: a function, or the function without a name of a module, which is instantiated with
  /// its hyperparameters. Null, with an error, for others and for a module with parameters.
  std::optional<FunctionValue> sampler(const ast::Expr &with, Scope &scope);
  Value samplerModule(const ast::CallExpr &call, const ClassValue &cls, Scope &scope);
  /// Returns a compile-time integer of at least `least`; null, with an error, for other values.
  std::optional<int64_t> count(const ast::Argument &argument, int64_t least, Scope &scope);

  typed::Program &program;
  Reporter &reporter;
  LetBuilder &lets;
  Files &files;
  Modules &modules;
  Entries &entries;
  ExpressionChecker &expressions;
};

} // namespace attnc::check
