//===- RangeProofs.h - range proofs of subscripts by linear arithmetic --------------------------------------------===//
//
// A subscript x[.., e, ..] of a dimension of size n is in range if 0 <= e and e <= n - 1 for all values of the indices
// in e, under the conditions around it:
//
//   [s] => if s >= 1 then a[s - 1] else 0        s - 1 >= 0 because s >= 1;  n - 1 - (s - 1) >= 0 because s <= n - 1
//
// The prover decides such goals G >= 0 by linear arithmetic with sizes (polynomials, Dim) as coefficients. It subtracts
// multiples of facts F >= 0 (LinearForms.h) from a goal until the goal contains no atom:
//
//   a goal      rows*cols - 1 - cols*i - j
//   with        i <= rows - 1 (times cols), j <= cols - 1
//   leaves      0 >= 0
//
// Linear forms and facts are computed once for a subscript, before the proofs. A failed goal is not tried again at the
// same or a greater depth.
//
// A data-dependent subscript that cannot be proved is checked at run time. A second attempt assumes that each dynamic
// dimension is at least 1. Accesses that depend on this assumption or on a condition are clamped, and the least size of
// the dimension becomes 1, unless the indices of the subscript or a condition on them imply it, as an empty loop reads
// nothing. A subscript without indices is a slice of the tensor, which is computed whatever condition surrounds it
// (SubscriptPositions.cpp).
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Builder.h"
#include "frontends/attn/Check/LinearForms.h"

namespace attnc::check {

/// A proof obligation: a subscript of the program that must be in range.
struct Obligation {
  typed::ExprRef subscript; ///< the Subscript
  unsigned position;        ///< of the index among its indices
  Dim extent;               ///< the size of that dimension
  Guards guards;            ///< the conditions around the subscript
  SourceRange range;        ///< of the index in the source
  SourceRange baseRange;    ///< of the tensor in the source
};

/// The reason why an index respects one bound.
enum class Side {
  Proved,  ///< for all values of the dimensions and indices
  Clamped, ///< under the conditions around it, or if dimensions are at least 1; Elements clamps the index to the bound
  Runtime, ///< not proved, but the index is computed from data: it is checked at run time
  Failed   ///< not proved: an error (Indices/RangeErrors.h)
};

/// The decision of an obligation: 0 <= index, and index <= extent - 1.
struct Verdict {
  Side lower = Side::Proved, upper = Side::Proved;
};

/// The obligations of a program, and the sizes of the dimensions of the entry point that is being checked.
class RangeProofs {
public:
  RangeProofs(Builder &build, DimensionBounds &bounds) : build(build), bounds(bounds) {}

  void add(Obligation obligation) { obligations.push_back(std::move(obligation)); }
  /// Returns the number of obligations so far; `decide` takes those that are added afterwards.
  size_t mark() const { return obligations.size(); }
  /// Decides and removes all obligations since `mark`, except those with an index whose extent is not yet known; calls
  /// `failed` for each with a Failed side, which is an error. May raise the minimum of dimensions.
  void decide(size_t mark, const HasExtent &hasExtent,
              const std::function<void(const Obligation &, const Verdict &)> &failed);
  /// Returns the verdict of a position of a Subscript; Proved on both sides if it had no obligation.
  Verdict verdictOf(typed::ExprRef subscript, unsigned position) const;

private:
  Verdict decide(const Obligation &obligation, const HasExtent &hasExtent);

  Builder &build;
  DimensionBounds &bounds;
  std::vector<Obligation> obligations;
  std::map<std::pair<typed::ExprRef, unsigned>, Verdict> verdicts;
};

} // namespace attnc::check
