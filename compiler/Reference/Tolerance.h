//===- Tolerance.h - error bound of f32 code against the oracle ---------------------------------------------------===//
//
// A sum of K terms in f32 with independent rounding errors has an error of about u sqrt(K) times the magnitude of its
// terms, with the unit roundoff u = 2^-24 (N. Higham, Accuracy and Stability of Numerical Algorithms, 4.2). Compiled
// code may differ from the oracle by
//
//   |found - expected| <= c u sqrt(K) largest,  largest = the largest |expected| of the tensor
//
// with K the number of terms of the longest chain of sums, and c a small factor for the operations between the sums.
// Tests whose results are differences of numbers of magnitude 1 use at least 1 for `largest`. Larger differences
// require rounding samples (RoundingSamples.h). Integers, booleans and infinities must be equal; NaN matches NaN.
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <algorithm>
#include <cmath>

namespace attnc::reference {

inline constexpr double unitRoundoff = 0x1p-24;

/// c u sqrt(terms): the bound above, relative to the largest magnitude. `terms` is K (Array::terms); a number below 1
/// counts as 1.
inline double tolerance(double c, double terms) { return c * unitRoundoff * std::sqrt(std::max(terms, 1.0)); }

/// The largest |value| of the finite `values`, but at least `least`.
inline double largestMagnitude(llvm::ArrayRef<double> values, double least = 1) {
  for (double value : values)
    if (std::isfinite(value))
      least = std::max(least, std::fabs(value));
  return least;
}

/// True if `found` differs from `expected` by at most `limit`. An infinity must be equal, and NaN matches NaN alone.
inline bool agree(double found, double expected, double limit) {
  return std::isnan(expected)   ? std::isnan(found)
         : std::isinf(expected) ? found == expected
                                : std::fabs(found - expected) <= limit;
}

} // namespace attnc::reference
