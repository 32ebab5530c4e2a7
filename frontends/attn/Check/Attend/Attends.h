//===- Attends.h - `attend keys { score: ..., mask: ..., by: ..., value: ... } yields (...)` ----------------------===//
#pragma once

#include "frontends/attn/Check/Attend/AttendYields.h"
#include "frontends/attn/Check/Attend/NormaliserClauses.h"
#include "frontends/attn/Check/Functions/Calls.h"
#include "frontends/attn/Check/Indices/Bodies.h"

namespace attnc::check {

class Attends {
public:
  Attends(Reporter &reporter, Builder &build, PendingAttends &pendings, Ranges &ranges, Guards &guards,
          const CallStack &stack, Scopes &scopes, IndexScopes &indexScopes, Bodies &bodies, Conversions &conversions,
          Draws &draws, Calls &calls, ExpressionChecker &expressions)
      : reporter(reporter), build(build), pendings(pendings), ranges(ranges), guards(guards), stack(stack),
        scopes(scopes), indexScopes(indexScopes), bodies(bodies), conversions(conversions), draws(draws), calls(calls),
        expressions(expressions), normalisers(reporter, build, conversions, expressions),
        yields(reporter, build, expressions) {}

  Value attend(const ast::AttendExpr &expr, Scope &scope);

private:
  bool parts(const ast::AttendExpr &expr, Scope &scope, PendingAttend &pending);
  bool weight(const ast::AttendExpr &expr, Scope &scope, PendingAttend &pending);
  /// Reports a score, mask or weight that is not a scalar.
  bool isScalar(typed::ExprRef part, SourceRange range, const char *what);
  std::optional<bool> renormalises(const ast::AttendExpr &expr, Scope &scope);
  /// Returns the results of an attend with its attention weights divided by their sum; zeros for a row without keys.
  Value renormalised(const ast::AttendExpr &expr, PendingAttend pending, size_t mark);
  Value logOfProbability(const ast::AttendExpr &expr, const PendingAttend &chosen, size_t mark);
  Value finish(const ast::AttendExpr &expr, PendingAttend pending, size_t mark);

  Reporter &reporter;
  Builder &build;
  PendingAttends &pendings;
  Ranges &ranges;
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
