//===- Bodies.h - completion of index notation bodies -------------------------------------------------------------===//
//
// When an expression that binds indices depends on no index around it (it is closed, Builder.h), its subscripts are
// proved in range (RangeProofs.h) and its rows are rewritten to elements (Elements.h). `mark` is the number of proof
// obligations before the expression: RangeProofs::mark.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/EntryContext.h"
#include "frontends/attn/Check/Indices/Elements.h"
#include "frontends/attn/Check/Indices/IndexScopes.h"
#include "frontends/attn/Check/Types/Conversions.h"

namespace attnc::check {

/// Completion of comprehensions, reductions, gathers and attends.
class Bodies {
public:
  Bodies(Reporter &reporter, Builder &build, const PendingAttends &pendings, DimensionBounds &bounds,
         RangeProofs &ranges, Elements &elements, IndexScopes &indexScopes, Conversions &conversions,
         const Guards &guards, const EntryContext &context)
      : reporter(reporter), build(build), pendings(pendings), bounds(bounds), ranges(ranges), elements(elements),
        indexScopes(indexScopes), conversions(conversions), guards(guards), context(context) {}

  /// Returns `[indices] => body`, completed as by finish; one for each element, in a TupleValue, if the body is a
  /// tuple. An integer in the body becomes i32. An ErrorValue after an error.
  Value wrap(const std::vector<typed::Index *> &indices, const Value &body, SourceRange range, size_t mark);
  /// Completes a closed expression; returns an open one, and a tensor expression that binds no indices, unchanged.
  /// Null, with an error, if a subscript may be out of range.
  typed::ExprRef finish(typed::ExprRef expr, size_t mark);
  /// Like finish, with an ErrorValue for null.
  Value finishValue(typed::ExprRef expr, size_t mark);

  /// In a training step, raises the least sizes of dimensions so that `extent`, over which a mean is taken, is at least
  /// 1, unless a condition is around the mean: the mean of nothing is NaN, which the step would store in every
  /// parameter.
  void refuseMeanOfNothing(const Dim &extent);

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
