//===- Attends.h - `attend keys { score: ..., mask: ..., by: ..., value: ... } yields (...)` ----------------------===//
#pragma once

#include "frontends/attn/Check/Attend/AttendYields.h"
#include "frontends/attn/Check/Attend/NormaliserClauses.h"
#include "frontends/attn/Check/Functions/Calls.h"
#include "frontends/attn/Check/Indices/Bodies.h"

namespace attnc::check {

/// Checker of `attend`, the language's expression for attention. It checks the formulas, the normaliser and the yields,
/// and describes the expression as a PendingAttend (PendingAttends.h). `mark` is the result of RangeProofs::mark before
/// the expression: obligations since then belong to it.
class Attends {
public:
  Attends(Reporter &reporter, Builder &build, PendingAttends &pendings, RangeProofs &ranges, Guards &guards,
          const CallStack &stack, Scopes &scopes, IndexScopes &indexScopes, Bodies &bodies, Conversions &conversions,
          Draws &draws, Calls &calls, ExpressionChecker &expressions)
      : reporter(reporter), build(build), pendings(pendings), ranges(ranges), guards(guards), stack(stack),
        scopes(scopes), indexScopes(indexScopes), bodies(bodies), conversions(conversions), draws(draws), calls(calls),
        expressions(expressions), normalisers(reporter, build, conversions, expressions),
        yields(reporter, build, expressions) {}

  /// Checks `attend` and returns its results in the order of `yields`: one value, or a TupleValue; an ErrorValue after
  /// an error. If a formula depends on indices of index notation around the `attend`, the values are open expressions
  /// in these indices (Builder.h), and the attend is pending. Otherwise they are tensors, and the typed::Attend has
  /// been added to the current block.
  Value attend(const ast::AttendExpr &expr, Scope &scope);

private:
  /// Check the formulas (mask, score, value and weight; then weight alone) and set them in `pending`. False, with an
  /// error, if one is invalid.
  bool parts(const ast::AttendExpr &expr, Scope &scope, PendingAttend &pending);
  bool weight(const ast::AttendExpr &expr, Scope &scope, PendingAttend &pending);
  /// Returns whether a score, mask or weight is a scalar; reports another one.
  bool isScalar(typed::ExprRef part, SourceRange range, const char *what);
  /// Returns the value of `renormalise:`, false without it; null, with an error, if it is not a compile-time boolean.
  std::optional<bool> renormalises(const ast::AttendExpr &expr, Scope &scope);
  /// Returns the results of an attend with `renormalise: true`: `value`, `weights` and `top_weights` are divided by the
  /// row's sum of attention weights, and are 0 where this sum is 0; other results stay. Reports `key_sums`.
  Value renormalised(const ast::AttendExpr &expr, PendingAttend pending, size_t mark);
  /// Returns the result `logp` of `by: sample`: the log-probability, under softmax of the scores, of the key that a row
  /// of the attend `chosen` chose; 0 for a row without keys.
  Value logOfProbability(const ast::AttendExpr &expr, const PendingAttend &chosen, size_t mark);
  /// Adds `pending` to the program's attends, decides its proof obligations since `mark`, and returns its results.
  Value finish(const ast::AttendExpr &expr, PendingAttend pending, size_t mark);

  Reporter &reporter;
  Builder &build;
  PendingAttends &pendings;
  RangeProofs &ranges;
  Guards &guards;
  const CallStack &stack;
  Scopes &scopes;
  IndexScopes &indexScopes;
  Bodies &bodies;
  Conversions &conversions;
  Draws &draws;
  Calls &calls;
  ExpressionChecker &expressions;
  NormaliserClauses normalisers;
  AttendYields yields;
};

} // namespace attnc::check
