//===- AttendYields.h - statistics that an attend yields: `yields (value, lse, top(4))` ---------------------------===//
#pragma once

#include "frontends/attn/Check/ExpressionChecker.h"
#include "frontends/attn/Check/PendingAttends.h"
#include "frontends/attn/Check/Reporter.h"

namespace attnc::check {

class AttendYields {
public:
  AttendYields(Reporter &reporter, Builder &build, ExpressionChecker &expressions)
      : reporter(reporter), build(build), expressions(expressions) {}

  /// Adds the yields to a pending attend whose formulas and indices are known.
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
