//===- IndexNotation.h - comprehensions and reductions over indices -----------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Gradients.h"
#include "frontends/attn/Check/Indices/Bodies.h"

namespace attnc::check {

/// Checker of index notation. Results are completed by Bodies; an ErrorValue after an error.
class IndexNotation {
public:
  IndexNotation(Reporter &reporter, Builder &build, Scopes &scopes, Ranges &ranges, Guards &guards,
                IndexScopes &indexScopes, Bodies &bodies, Conversions &conversions, Gradients &gradients,
                ExpressionChecker &expressions)
      : reporter(reporter), build(build), scopes(scopes), ranges(ranges), guards(guards), indexScopes(indexScopes),
        bodies(bodies), conversions(conversions), gradients(gradients), expressions(expressions) {}

  /// Checks `[i, j < n] => body`.
  Value comprehension(const ast::BuildExpr &expr, Scope &scope);
  /// Checks `sum k where filter => body`.
  Value reduce(const ast::ReduceExpr &expr, Scope &scope);

private:
  /// Return the condition of `where`, the term that is reduced, and for `mean` the number of terms as f32. Null, with
  /// an error, if they are invalid.
  typed::ExprRef filterOf(const ast::ReduceExpr &expr, Scope &scope);
  Value reduceBody(const ast::ReduceExpr &expr, const std::vector<typed::Index *> &indices, typed::ExprRef filter,
                   const Value &body, size_t mark);
  typed::ExprRef reductionTerm(const ast::ReduceExpr &expr, const Value &body);
  typed::ExprRef countOf(const std::vector<typed::Index *> &indices, typed::ExprRef filter, SourceRange range,
                         size_t mark);

  Reporter &reporter;
  Builder &build;
  Scopes &scopes;
  Ranges &ranges;
  Guards &guards;
  IndexScopes &indexScopes;
  Bodies &bodies;
  Conversions &conversions;
  Gradients &gradients;
  ExpressionChecker &expressions;
};

} // namespace attnc::check
