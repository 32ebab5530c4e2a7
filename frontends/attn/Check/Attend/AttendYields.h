//===- AttendYields.h - statistics that an attend yields: `yields (value, lse, top(4))` ---------------------------===//
#pragma once

#include "frontends/attn/Check/ExpressionChecker.h"
#include "frontends/attn/Check/PendingAttends.h"
#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

/// Checker of the `yields` clause of `attend`, a part of Attends. The clause lists the results: statistics of attention
/// (dialects/Attn/Statistics.h), and `logp`.
class AttendYields {
public:
  AttendYields(Reporter &reporter, Builder &build, ExpressionChecker &expressions)
      : reporter(reporter), build(build), expressions(expressions) {}

  /// Sets `statistics`, `yields`, `top`, `summed` and `logpPlace` of a pending attend (PendingAttends.h), whose
  /// normaliser, formulas and keys with their extents are known. Without the clause, the attend yields its value, or
  /// its attention weights if it has no value. `yields` is empty if `logp` is the only result. Returns false, with an
  /// error, if a yield is invalid.
  bool read(const ast::AttendExpr &expr, Scope &scope, PendingAttend &pending);

private:
  bool yield(const ast::Expr &yield, Scope &scope, PendingAttend &pending);
  bool arguments(const ast::Expr &yield, typed::Statistic statistic, Scope &scope, PendingAttend &pending);
  bool topCount(const ast::Expr &argument, Scope &scope, PendingAttend &pending);
  bool add(typed::Statistic statistic, SourceRange range, PendingAttend &pending);

  Reporter &reporter;
  Builder &build;
  ExpressionChecker &expressions;
};

} // namespace attnc::check
