//===- NormaliserClauses.h - the normaliser of an attend: `by: softmax(temperature: t)` ---------------------------===//
#pragma once

#include "frontends/attn/Check/Attend/Normalisers.h"
#include "frontends/attn/Check/Draws.h"
#include "frontends/attn/Check/ExpressionChecker.h"
#include "frontends/attn/Check/PendingAttends.h"
#include "frontends/attn/Check/Types/Conversions.h"

namespace attnc::check {

class NormaliserClauses {
public:
  NormaliserClauses(Reporter &reporter, Builder &build, Conversions &conversions, ExpressionChecker &expressions)
      : reporter(reporter), build(build), conversions(conversions), expressions(expressions) {}

  /// Reads `by:` into the pending attend; composeScore then replaces its score.
  bool read(const ast::AttendExpr &expr, Scope &scope, PendingAttend &pending);

private:
  /// Checks a number of each row, which must not depend on the key.
  typed::ExprRef numberOfRow(const ast::Argument &argument, const std::string &name, Scope &scope,
                             const PendingAttend &pending);
  std::optional<double> alphaOf(const ast::Argument &argument, Scope &scope);

  Reporter &reporter;
  Builder &build;
  Conversions &conversions;
  ExpressionChecker &expressions;
};

/// Replaces the score of a pending attend by the score that its normaliser composes (ComposedScores.cpp).
bool composeScore(Builder &build, Draws &draws, PendingAttend &pending, SourceRange range);

} // namespace attnc::check
