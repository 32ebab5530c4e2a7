//===- Entries.h - entry points: functions checked on dimensions of their own -------------------------------------===//
#pragma once

#include "frontends/attn/Check/Draws.h"
#include "frontends/attn/Check/Functions/FunctionBodies.h"
#include "frontends/attn/Check/Functions/StateUpdates.h"
#include "frontends/attn/Check/Gradients.h"

namespace attnc::check {

class Entries {
public:
  Entries(typed::Program &program, Reporter &reporter, Builder &build, Ranges &ranges, Origins &origins,
          CallStack &stack, Scopes &scopes, DeclaredTypes &types, Conversions &conversions, FunctionBodies &bodies,
          Gradients &gradients, Draws &draws, StateUpdates &updates)
      : program(program), reporter(reporter), build(build), ranges(ranges), origins(origins), stack(stack),
        scopes(scopes), types(types), conversions(conversions), bodies(bodies), gradients(gradients), draws(draws),
        updates(updates) {}

  /// Checks a function and adds it to the program as the entry point `name`; null where it has an error.
  typed::Entry *add(const FunctionValue &function, const std::string &name, SourceRange range);
  /// Checks a function that nothing calls. Where its arguments may have any rank, one is invented, and what depends on
  /// it is no error.
  void checkAlone(const FunctionValue &function, const std::string &name, SourceRange range);

private:
  bool check(const FunctionValue &function, typed::Entry &entry, bool isExported);
  bool declareParameters(const ast::FunctionDecl &decl, Scope &scope, typed::Entry &entry, bool isExported);
  typed::Local *addArgument(const ast::Parameter &parameter, Scope &scope, typed::Entry &entry);
  void addResults(typed::Entry &entry, const ast::FunctionDecl &decl, const Value &value, Scope &scope);

  typed::Program &program;
  Reporter &reporter;
  Builder &build;
  Ranges &ranges;
  Origins &origins;
  CallStack &stack;
  Scopes &scopes;
  DeclaredTypes &types;
  Conversions &conversions;
  FunctionBodies &bodies;
  Gradients &gradients;
  Draws &draws;
  StateUpdates &updates;
};

/// Can a function be an entry point: are all its parameters tensors with named dimensions?
bool isEntryLike(const ast::FunctionDecl &decl);

/// Reports entry points whose C names collide. The header gives an entry point `f` of a model `m` the names `m_f`,
/// `m_f_run` and `m_f_arena_bytes`, and the model `m_model` and `m_prepare`. One derived by `incremental` has
/// `m_f_truncate` and `m_f_reorder` as well.
void checkEntryNames(Reporter &reporter, const typed::Program &program);

} // namespace attnc::check
