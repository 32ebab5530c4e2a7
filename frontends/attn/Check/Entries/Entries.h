//===- Entries.h - entry points: functions checked with symbolic dimensions ---------------------------------------===//
#pragma once

#include "frontends/attn/Check/Draws.h"
#include "frontends/attn/Check/Functions/FunctionBodies.h"
#include "frontends/attn/Check/Gradients.h"
#include "frontends/attn/Check/Names/StateValues.h"

namespace attnc::check {

/// Checks functions as entry points. Each parameter of the function becomes an argument of the entry point, and each
/// new name in the type of a parameter a dynamic dimension.
class Entries {
public:
  Entries(typed::Program &program, Reporter &reporter, Builder &build, LetBuilder &lets, DimensionBounds &bounds,
          Origins &origins, CallStack &stack, Scopes &scopes, DeclaredTypes &types, Conversions &conversions,
          FunctionBodies &bodies, Gradients &gradients, Draws &draws, StateValues &states)
      : program(program), reporter(reporter), build(build), lets(lets), bounds(bounds), origins(origins), stack(stack),
        scopes(scopes), types(types), conversions(conversions), bodies(bodies), gradients(gradients), draws(draws),
        states(states) {}

  /// Checks a function and adds it to the program as the entry point `name`, without a derivation. If it has an error,
  /// adds nothing and returns null. `range` is the export in the source. The program owns the result, which is valid
  /// until the next entry point is added.
  typed::Entry *add(const FunctionValue &function, const std::string &name, SourceRange range);
  /// Checks a function that no entry point calls, for errors alone; `name` and `range` are as in `add`. The body of a
  /// function with a parameter without a type is not checked. If a type has `..`, the checker assumes one dimension for
  /// it, and drops errors that may depend on this assumption.
  void checkAlone(const FunctionValue &function, const std::string &name, SourceRange range);

private:
  bool check(const FunctionValue &function, typed::Entry &entry, bool isExported);
  bool declareParameters(const ast::FunctionDecl &decl, Scope &scope, typed::Entry &entry, bool isExported);
  void requireInferable(const typed::Entry &entry);
  typed::Local *addArgument(const ast::Parameter &parameter, Scope &scope, typed::Entry &entry);
  void addResults(typed::Entry &entry, const ast::FunctionDecl &decl, const Value &value, Scope &scope);

  typed::Program &program;
  Reporter &reporter;
  Builder &build;
  LetBuilder &lets;
  DimensionBounds &bounds;
  Origins &origins;
  CallStack &stack;
  Scopes &scopes;
  DeclaredTypes &types;
  Conversions &conversions;
  FunctionBodies &bodies;
  Gradients &gradients;
  Draws &draws;
  StateValues &states;
};

/// True if a function can be an entry point: all its parameters have types without `..`.
bool isEntryLike(const ast::FunctionDecl &decl);

/// Reports entry points of the program whose C names collide with other names of the generated header. An entry point
/// `f` of a model `m` has the names `m_f`, `m_f_run` and `m_f_arena_bytes` there; the model has `m_model`, `m_prepare`
/// and `m_prepare_arena_bytes`. An entry point that `incremental` derives also has `m_f_truncate` and `m_f_reorder`.
void checkEntryNames(Reporter &reporter, const typed::Program &program);

} // namespace attnc::check
