//===- IndexNotation.h - comprehensions and reductions over indices -----------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Gradients.h"
#include "frontends/attn/Check/Indices/Bodies.h"

namespace attnc::check {

/// Checker of index notation. The indices of an expression are declared first; their extents are known after its body
/// has been checked. If the result depends on no index of an enclosing expression (it is closed, Builder.h), Bodies
/// completes it: its subscripts are proved in range and its rows are rewritten to elements. Otherwise the result is
/// returned open, and is completed as a part of the expression that binds those indices.
class IndexNotation {
public:
  IndexNotation(Reporter &reporter, Builder &build, Scopes &scopes, RangeProofs &ranges, Guards &guards,
                IndexScopes &indexScopes, Bodies &bodies, Conversions &conversions, Gradients &gradients,
                ExpressionChecker &expressions)
      : reporter(reporter), build(build), scopes(scopes), ranges(ranges), guards(guards), indexScopes(indexScopes),
        bodies(bodies), conversions(conversions), gradients(gradients), expressions(expressions) {}

  /// Checks `[i, j < n] => body` and returns its value: a tensor with a dimension for each index, then the dimensions
  /// of the body, or a TupleValue of such tensors if the body is a tuple. An ErrorValue after an error.
  Value comprehension(const ast::BuildExpr &expr, Scope &scope);
  /// Checks a reduction, `sum k where filter => body`, and returns its value, which has the shape of the body. An
  /// ErrorValue after an error.
  Value reduce(const ast::ReduceExpr &expr, Scope &scope);

private:
  // `mark` is the result of RangeProofs::mark before the whole expression (Bodies.h).

  /// Returns the condition of `where`; null, with an error, if it is no single condition.
  typed::ExprRef filterOf(const ast::ReduceExpr &expr, Scope &scope);
  /// Returns the reduction of a checked body over indices with known extents; `filter` is null without a `where`.
  Value reduceBody(const ast::ReduceExpr &expr, const std::vector<typed::Index *> &indices, typed::ExprRef filter,
                   const Value &body, size_t mark);
  /// Returns the indices of the largest term, a tuple of i32; of several equal terms the first one in row-major order.
  Value argMaxOfSeveral(const ast::ReduceExpr &expr, const std::vector<typed::Index *> &indices, typed::ExprRef filter,
                        typed::ExprRef term, size_t mark);
  /// Returns the term that is reduced; null, with an error, for a body of the wrong type.
  typed::ExprRef reductionTerm(const ast::ReduceExpr &expr, const Value &body);
  /// Returns the number of terms of a `mean`, as f32; null, with an error, if a subscript of the filter may be out of
  /// range.
  typed::ExprRef countOf(const std::vector<typed::Index *> &indices, typed::ExprRef filter, SourceRange range,
                         size_t mark);

  Reporter &reporter;
  Builder &build;
  Scopes &scopes;
  RangeProofs &ranges;
  Guards &guards;
  IndexScopes &indexScopes;
  Bodies &bodies;
  Conversions &conversions;
  Gradients &gradients;
  ExpressionChecker &expressions;
};

} // namespace attnc::check
