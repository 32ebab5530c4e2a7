//===- Subscripts.h - subscripts of tensors, lists and tuples; slices and gathers ---------------------------------===//
#pragma once

#include "frontends/attn/Check/Indices/Bodies.h"
#include "frontends/attn/Check/Indices/SubscriptPositions.h"

namespace attnc::check {

class Subscripts {
public:
  Subscripts(Reporter &reporter, Builder &build, LetBuilder &lets, Ranges &ranges, const Guards &guards,
             IndexScopes &indexScopes, Bodies &bodies, Conversions &conversions, ExpressionChecker &expressions)
      : reporter(reporter), build(build), lets(lets), ranges(ranges), guards(guards), indexScopes(indexScopes),
        bodies(bodies), conversions(conversions), expressions(expressions),
        written(reporter, build, ranges, indexScopes, expressions) {}

  Value subscript(const ast::SubscriptExpr &expr, Scope &scope);

private:
  Value pick(const Value &list, const ast::SubscriptExpr &expr, Scope &scope);
  typed::ExprRef applyRanges(typed::ExprRef base, std::vector<Position> &where, SourceRange range);
  typed::ExprRef applyIndices(typed::ExprRef base, const std::vector<Position> &where, SourceRange range,
                              SourceRange baseRange);
  typed::ExprRef gather(typed::ExprRef base, const std::vector<Position> &where, SourceRange range,
                        SourceRange baseRange);
  /// Converts constants and sizes as subscripts to a slice without the subscripted dimensions.
  typed::ExprRef fixedIndices(typed::ExprRef base, const std::vector<Position> &where, SourceRange range,
                              SourceRange baseRange);
  /// Adds the obligation to prove that an index is in range, unless that is evident.
  void oblige(typed::ExprRef subscript, unsigned position, const Dim &extent, SourceRange range, SourceRange baseRange);

  Reporter &reporter;
  Builder &build;
  LetBuilder &lets;
  Ranges &ranges;
  const Guards &guards;
  IndexScopes &indexScopes;
  Bodies &bodies;
  Conversions &conversions;
  ExpressionChecker &expressions;
  SubscriptPositions written;
};

} // namespace attnc::check
