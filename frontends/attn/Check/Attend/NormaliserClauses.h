//===- NormaliserClauses.h - the normaliser of an attend: `by: softmax(temperature: t)` ---------------------------===//
#pragma once

#include "frontends/attn/Check/Attend/Normalisers.h"
#include "frontends/attn/Check/Draws.h"
#include "frontends/attn/Check/ExpressionChecker.h"
#include "frontends/attn/Check/PendingAttends.h"
#include "frontends/attn/Check/Types/Conversions.h"

namespace attnc::check {

/// Checker of the `by:` clause of `attend`, a part of Attends.
class NormaliserClauses {
public:
  NormaliserClauses(Reporter &reporter, Builder &build, Conversions &conversions, ExpressionChecker &expressions)
      : reporter(reporter), build(build), conversions(conversions), expressions(expressions) {}

  /// Sets `word` and `normaliser` of the pending attend, whose keys are known, and, where the clause has these
  /// arguments, `alpha`, `sink` and `temperature`. Without the clause the word is softmax. Returns false, with an
  /// error, if the clause is invalid. The caller then calls composeScore.
  bool read(const ast::AttendExpr &expr, Scope &scope, PendingAttend &pending);

private:
  /// Checks a sink or a temperature: one f32 for each row, which must not depend on the key. Null, with an error, for
  /// others.
  typed::ExprRef numberOfRow(const ast::Argument &argument, const std::string &name, Scope &scope,
                             const PendingAttend &pending);
  /// Returns the alpha of entmax, a compile-time number in (1, 2]; null, with an error, for others.
  std::optional<double> alphaOf(const ast::Argument &argument, Scope &scope);

  Reporter &reporter;
  Builder &build;
  Conversions &conversions;
  ExpressionChecker &expressions;
};

/// Replaces the score of a pending attend, whose clause has been read, by the score that its word normalises
/// (ComposedScore): divided by the temperature, and with noise for some words. For `sample`, also sets `plainScore`.
/// Returns false, with an error at `range`, if the word draws random numbers where draws are not supported.
bool composeScore(Builder &build, Draws &draws, PendingAttend &pending, SourceRange range);

} // namespace attnc::check
