//===- Subscripts.h - subscripts of tensors, lists and tuples; slices and gathers ---------------------------------===//
#pragma once

#include "frontends/attn/Check/Indices/Bodies.h"
#include "frontends/attn/Check/Indices/SubscriptPositions.h"
#include "frontends/attn/Check/StackedLists.h"

namespace attnc::check {

/// Checker of subscript expressions, x[...]. A subscript by a scalar integer yields an element or a row, a subscript by
/// a range a slice, and a subscript by a tensor of i32 a gather, which has one such subscript.
class Subscripts {
public:
  Subscripts(Reporter &reporter, Builder &build, LetBuilder &lets, DimensionBounds &bounds, RangeProofs &ranges,
             const Guards &guards, IndexScopes &indexScopes, Bodies &bodies, Conversions &conversions,
             StackedLists &stacked, ExpressionChecker &expressions)
      : reporter(reporter), build(build), lets(lets), bounds(bounds), ranges(ranges), guards(guards),
        indexScopes(indexScopes), bodies(bodies), conversions(conversions), stacked(stacked), expressions(expressions),
        written(reporter, build, bounds, indexScopes, expressions) {}

  /// Checks a subscript expression and returns its value: an element, row, slice or gather of a tensor; or an element
  /// of a tuple or list, whose subscript must be a compile-time integer from 0 to its length - 1, or, for a list of
  /// equal modules, any scalar integer. An ErrorValue after an error, and if the list has to be stacked.
  Value subscript(const ast::SubscriptExpr &expr, Scope &scope);
  /// ExpressionChecker::elementOf.
  Value elementOf(typed::ExprRef stack, typed::ExprRef index);

private:
  /// Returns an element of a tuple or of a list of modules.
  Value pick(const Value &list, const ast::SubscriptExpr &expr, Scope &scope);
  /// Returns the module of a list that `index` selects, which is no compile-time integer.
  Value pickByData(const ModuleListValue &list, typed::ExprRef index, SourceRange range);
  /// Returns the slice by the ranges of `where`, which become Whole.
  typed::ExprRef applyRanges(typed::ExprRef base, std::vector<Position> &where, SourceRange range);
  /// Returns the element or row at the scalar indices of `where`; its dimensions are the others.
  typed::ExprRef applyIndices(typed::ExprRef base, const std::vector<Position> &where, SourceRange range,
                              SourceRange baseRange);
  /// Returns the gather by the one tensor of `where`, whose dimensions replace the subscripted dimension.
  typed::ExprRef gather(typed::ExprRef base, const std::vector<Position> &where, SourceRange range,
                        SourceRange baseRange);
  /// Returns a slice without the subscripted dimensions, for subscripts that are all constants and sizes. Null, with an
  /// error, if one may be out of range.
  typed::ExprRef fixedIndices(typed::ExprRef base, const std::vector<Position> &where, SourceRange range,
                              SourceRange baseRange);
  /// Adds the obligation to prove that an index of a Subscript is in range, unless its extent is that of the dimension.
  void oblige(typed::ExprRef subscript, unsigned position, const Dim &extent, SourceRange range, SourceRange baseRange);

  Reporter &reporter;
  Builder &build;
  LetBuilder &lets;
  DimensionBounds &bounds;
  RangeProofs &ranges;
  const Guards &guards;
  IndexScopes &indexScopes;
  Bodies &bodies;
  Conversions &conversions;
  StackedLists &stacked;
  ExpressionChecker &expressions;
  SubscriptPositions written;
};

} // namespace attnc::check
