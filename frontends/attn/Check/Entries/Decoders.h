//===- Decoders.h - decoding loops: `decode(next, with: greedy, stop: 0, at_most: 64)` ----------------------------===//
//
// `decode` in an export derives an entry point that writes tokens. Its loop calls an entry point that computes the
// logits position by position (`next`, which `incremental` derives), and a sampler (`greedy`), which chooses a token
// from the logits of one position. The checker adds the sampler as an entry point; the derive phase creates the loop
// around it.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Entries/Derivation.h"
#include "frontends/attn/Check/Entries/Entries.h"
#include "frontends/attn/Check/Modules/Modules.h"
#include "frontends/attn/Check/Names/Files.h"
#include "frontends/attn/Check/Options.h"

namespace attnc::check {

/// Checker of exports by `decode`.
class Decoders {
public:
  Decoders(typed::Program &program, Reporter &reporter, LetBuilder &lets, Files &files, Modules &modules,
           Entries &entries, ExpressionChecker &expressions)
      : program(program), reporter(reporter), lets(lets), files(files), modules(modules), entries(entries),
        expressions(expressions) {}

  /// Checks the export `decl`, whose derivation is by `decode`. Adds the sampler to the program as an entry point with
  /// the name of the export and a typed::Decoding, and the name to `unit.decoders`, so that functions can call it.
  /// Reports errors, among them a `next` that is not exported before by `incremental`; after an error the program may
  /// have the entry point without its Decoding.
  void decode(const Derivation &derivation, const ast::ExportDecl &decl, SourceUnit &unit, Scope &scope);
  /// Adds the decoding loop that a command requests, as WriterRequest (Options.h) specifies.
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
