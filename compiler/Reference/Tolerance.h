//===- Tolerance.h - how far compiled code may lie from the oracle ----------------------------------------------===//
//
// A sum of K terms in f32 whose roundings are independent is off by about u sqrt(K) times the size of what it sums,
// with u = 2^-24, the unit roundoff (N. Higham, Accuracy and Stability of Numerical Algorithms, 4.2). What is compared
// may differ by
//
//   |found - expected| <= c u sqrt(K) largest,  largest = the largest |expected| of the tensor
//
// with K the terms of the longest chain of sums and c a small number for the operations between the sums. Tests whose
// results are differences of numbers about 1 take at least 1 for the largest. Differences beyond that need samples of
// rounding (RoundingSamples.h). Integers and truths are equal, NaN is NaN and an infinity the same infinity.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include <algorithm>
#include <cmath>

namespace attnc::reference {

inline constexpr double unitRoundoff = 0x1p-24;

/// c u sqrt(terms): relative to the largest magnitude.
inline double tolerance(double c, double terms) { return c * unitRoundoff * std::sqrt(std::max(terms, 1.0)); }

/// The largest finite |value|, at least `least`.
inline double largestMagnitude(llvm::ArrayRef<double> values, double least = 1) {
  for (double value : values)
    if (std::isfinite(value))
      least = std::max(least, std::fabs(value));
  return least;
}

inline bool agree(double found, double expected, double limit) {
  return std::isnan(expected)   ? std::isnan(found)
         : std::isinf(expected) ? found == expected
                                : std::fabs(found - expected) <= limit;
}

} // namespace attnc::reference
