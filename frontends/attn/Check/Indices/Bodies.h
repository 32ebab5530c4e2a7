//===- Bodies.h - completion of index notation bodies -------------------------------------------------------------===//
//
// Index notation is checked from the inside out. An expression that depends on an index of an enclosing expression is
// open (Builder.h), and stays as it is. When an expression that binds indices is closed, it is completed: its
// subscripts are proved in range (RangeProofs.h), and its rows are rewritten to elements (Elements.h).
//
// `mark` is the result of RangeProofs::mark before the check of the expression: obligations since then belong to it.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/EntryContext.h"
#include "frontends/attn/Check/Indices/Elements.h"
#include "frontends/attn/Check/Indices/IndexScopes.h"
#include "frontends/attn/Check/Types/Conversions.h"

namespace attnc::check {

/// Completion of comprehensions, reductions, gathers and attends, for the checkers of these expressions.
class Bodies {
public:
  Bodies(Reporter &reporter, Builder &build, const PendingAttends &pendings, DimensionBounds &bounds,
         RangeProofs &ranges, Elements &elements, IndexScopes &indexScopes, Conversions &conversions,
         const Guards &guards, const EntryContext &context)
      : reporter(reporter), build(build), pendings(pendings), bounds(bounds), ranges(ranges), elements(elements),
        indexScopes(indexScopes), conversions(conversions), guards(guards), context(context) {}

  /// Returns the comprehension `[indices] => body`, at `range`, completed as by finish. If the body is a tuple, returns
  /// a TupleValue with a comprehension for each element. A body that is an integer, size or index becomes i32. An
  /// ErrorValue after an error. The extents of the indices are known.
  Value wrap(const std::vector<typed::Index *> &indices, const Value &body, SourceRange range, size_t mark);
  /// Completes a closed Comprehension, IndexReduction, Subscript or yield of a pending attend: proves its subscripts in
  /// range, and returns it as a tensor expression without rows (Elements::close). Returns other expressions, and all
  /// open ones, unchanged. Null, with an error, if a subscript may be out of range.
  typed::ExprRef finish(typed::ExprRef expr, size_t mark);
  /// Like finish, but returns a TensorValue, and an ErrorValue instead of null.
  Value finishValue(typed::ExprRef expr, size_t mark);

  /// In a training step, raises the minima of dimensions (DimensionBounds::require) so that `extent`, over which a mean
  /// is taken, is at least 1, if that can be proved. The mean of no terms is NaN, which the step would store in every
  /// parameter. Does nothing in other entry points, or if a condition is around the mean. Reports nothing.
  void requireNonEmptyMean(const Dim &extent);

private:
  bool proveRanges(size_t mark);

  Reporter &reporter;
  Builder &build;
  const PendingAttends &pendings;
  DimensionBounds &bounds;
  RangeProofs &ranges;
  Elements &elements;
  IndexScopes &indexScopes;
  Conversions &conversions;
  const Guards &guards;
  const EntryContext &context;
};

} // namespace attnc::check
