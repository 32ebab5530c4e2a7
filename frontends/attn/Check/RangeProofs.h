//===- RangeProofs.h - range proofs of subscripts by linear arithmetic --------------------------------------------===//
//
// A subscript x[.., e, ..] of a dimension of size n is in range if 0 <= e and e <= n - 1 for all values of the indices
// in e, under the conditions around it:
//
//   [s] => if s >= 1 then a[s - 1] else 0        s - 1 >= 0 because s >= 1;  n - 1 - (s - 1) >= 0 because s <= n - 1
//
// Each bound of a subscript is a goal G >= 0. The prover decides goals by linear arithmetic with sizes (polynomials,
// Dim) as coefficients. It subtracts multiples of facts F >= 0 (LinearForms.h) from a goal until the goal contains no
// index:
//
//   a goal      rows*cols - 1 - cols*i - j
//   with        i <= rows - 1 (times cols), j <= cols - 1
//   leaves      0 >= 0
//
// There are up to four attempts for a goal. The first one that succeeds decides:
//
//   1. from all facts but the conditions around the subscript        Proved
//   2. also from these conditions                                    Clamped
//   3. as 1, if each dynamic dimension is at least 1                 Clamped; the minimum of the dimension becomes 1
//   4. as 2, if each dynamic dimension is at least 1                 Clamped; likewise
//
// A clamped subscript may be evaluated anywhere, also where its condition is false. In attempts 3 and 4 the minimum of
// a dimension (DimensionBounds.h) is raised only if the proof needs it, and not for the extent of an index of the
// subscript or of a condition: an empty loop reads nothing. If all attempts fail, a subscript that is computed from
// data, or is not linear (Atom::isData of LinearForms.h), is checked at run time (Runtime); another subscript is an
// error (Failed).
//
// A subscript without indices, such as x[n - 1], is no obligation: it is a slice of the tensor, which is computed
// whatever condition surrounds it (Indices/Subscripts.h).
//
//===--------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "frontends/attn/Check/Builder.h"
#include "frontends/attn/Check/LinearForms.h"

namespace attnc::check {

/// A proof obligation: an index of a typed::Subscript that must be in range, 0 <= index <= extent - 1.
struct Obligation {
  typed::ExprRef subscript; ///< the Subscript
  unsigned position;        ///< the position of the index among the indices of the Subscript
  Dim extent;               ///< the size of the dimension that the index subscripts
  Guards guards;            ///< the scalar conditions around the subscript
  SourceRange range;        ///< the index in the source
  SourceRange baseRange;    ///< the tensor in the source
};

/// The decision for one bound of an index.
enum class Side {
  Proved,  ///< holds for all sizes of the dimensions and all values of the indices
  Clamped, ///< holds under conditions around it, or if dimensions are at least 1; Elements clamps the index
  Runtime, ///< not proved, but the index is computed from data or is not linear: it is checked at run time
  Failed   ///< not proved: an error (Indices/RangeErrors.h)
};

/// The decisions for the two bounds of an obligation: `lower` for 0 <= index, `upper` for index <= extent - 1.
struct Verdict {
  Side lower = Side::Proved, upper = Side::Proved;
};

/// The proof obligations of a program that are not yet decided, and the verdicts of the others. The checker adds
/// obligations while it checks the body of index notation, and decides them when the whole expression is closed
/// (Indices/Bodies.h).
class RangeProofs {
public:
  RangeProofs(Builder &build, DimensionBounds &bounds) : build(build), bounds(bounds) {}

  /// Adds an obligation, undecided.
  void add(Obligation obligation) { obligations.push_back(std::move(obligation)); }
  /// Returns the number of undecided obligations. A later call of `decide` with this number decides the obligations
  /// that were added after this call.
  size_t mark() const { return obligations.size(); }
  /// Decides and removes all obligations since `mark`, except those with an index whose extent is not yet known, which
  /// stay. Calls `failed` for each obligation with a Failed side; the caller reports the error. May raise the minima of
  /// dimensions.
  void decide(size_t mark, const HasExtent &hasExtent,
              const std::function<void(const Obligation &, const Verdict &)> &failed);
  /// Returns the verdict for an index of a Subscript, by its position; Proved on both sides if it had no obligation or
  /// the obligation is undecided.
  Verdict verdictOf(typed::ExprRef subscript, unsigned position) const;

private:
  Verdict decide(const Obligation &obligation, const HasExtent &hasExtent);

  Builder &build;
  DimensionBounds &bounds;
  std::vector<Obligation> obligations;
  std::map<std::pair<typed::ExprRef, unsigned>, Verdict> verdicts;
};

} // namespace attnc::check
