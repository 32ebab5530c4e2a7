//===- Bodies.h - completion of index notation bodies -------------------------------------------------------------===//
//
// When an expression with indices is closed, its subscripts are proved in range (Ranges.h) and its rows are rewritten
// to elements (Elements.h). `mark` is the number of proof obligations before the expression: Ranges::mark.
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/EntryContext.h"
#include "frontends/attn/Check/Indices/Elements.h"
#include "frontends/attn/Check/Indices/IndexScopes.h"
#include "frontends/attn/Check/Types/Conversions.h"

namespace attnc::check {

class Bodies {
public:
  Bodies(Reporter &reporter, Builder &build, const PendingAttends &pendings, Ranges &ranges, Elements &elements,
         IndexScopes &indexScopes, Conversions &conversions, const Guards &guards, const EntryContext &context)
      : reporter(reporter), build(build), pendings(pendings), ranges(ranges), elements(elements),
        indexScopes(indexScopes), conversions(conversions), guards(guards), context(context) {}

  /// Returns `[indices] => body`, one for each element if the body is a tuple.
  Value wrap(const std::vector<typed::Index *> &indices, const Value &body, SourceRange range, size_t mark);
  /// Completes a closed expression; returns an open one unchanged. Null if a subscript may be out of range.
  typed::ExprRef finish(typed::ExprRef expr, size_t mark);
  Value finishValue(typed::ExprRef expr, size_t mark);

  /// Makes a dimension of size 0 a violation of the entry point's contract, unless a condition guards the mean over it:
  /// that mean is NaN, which a training step would store in every parameter.
  void refuseMeanOfNothing(const Dim &extent);

private:
  bool proveRanges(size_t mark);

  Reporter &reporter;
  Builder &build;
  const PendingAttends &pendings;
  Ranges &ranges;
  Elements &elements;
  IndexScopes &indexScopes;
  Conversions &conversions;
  const Guards &guards;
  const EntryContext &context;
};

} // namespace attnc::check
