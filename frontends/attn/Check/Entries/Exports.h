//===- Exports.h - exported entry points and their derivations ----------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Entries/Decoders.h"
#include "frontends/attn/Check/Entries/Minimizer.h"

namespace attnc::check {

/// Checker of `export name = rule(function, arguments...)`. It checks the function as an entry point (Entries), and
/// passes the derivation to Minimizer (`minimize`) and Decoders (`decode`); it checks the other rules itself.
class Exports {
public:
  Exports(typed::Program &program, Reporter &reporter, LetBuilder &lets, Scopes &scopes, EntryContext &context,
          Entries &entries, Minimizer &minimizer, Decoders &decoders, ExpressionChecker &expressions)
      : program(program), reporter(reporter), lets(lets), scopes(scopes), context(context), entries(entries),
        minimizer(minimizer), decoders(decoders), expressions(expressions) {}

  /// Checks an export of the file `unit` and adds its entry point, with its derivation, to the program. Reports errors,
  /// among them a name that is exported twice; the entry point is then missing or incomplete. `model` is null in a file
  /// without a model.
  void check(const ast::ExportDecl &decl, SourceUnit &unit, Instance *model);

private:
  /// Sets `along`, `takeBack` and `paged` of an entry point that `incremental` derives.
  void incremental(typed::Entry &entry, const Derivation &derivation, const ast::ExportDecl &decl, Scope &scope);
  int64_t positions(const ast::Argument &argument, Scope &scope);

  typed::Program &program;
  Reporter &reporter;
  LetBuilder &lets;
  Scopes &scopes;
  EntryContext &context;
  Entries &entries;
  Minimizer &minimizer;
  Decoders &decoders;
  ExpressionChecker &expressions;
};

} // namespace attnc::check
