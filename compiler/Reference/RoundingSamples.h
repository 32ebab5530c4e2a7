//===- RoundingSamples.h - Monte Carlo estimate of the rounding error of each result element ----------------------===//
//
// Tolerance.h bounds the rounding error of sums of well-scaled terms. The error is larger for ill-conditioned formulas
// (exp(s) amplifies by |s|, a sine by its angle, a ratio by the cancellation in its divisor), and unbounded at
// discontinuities (a truncation, a comparison, a subscript computed from data). Monte Carlo arithmetic covers both: the
// oracle runs again with random rounding errors in each op (Rounding::Loosely), and the test is
//
//   |found - exact| <= limit + scale * max over the samples |sample - exact|
//
// for each element. An integer may also equal the same element of some sample. An infinity or NaN must equal the
// oracle's. A sample has errors of up to four units in the last place of each op, compiled code mostly half a unit, so
// few samples suffice. Callers add samples until they explain the difference, up to a limit.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Reference/Array.h"
#include "compiler/Reference/Rounding.h"

namespace attnc::reference {

class RoundingSamples {
public:
  /// Starts without samples. `exact` is the oracle's result and must outlive this object.
  explicit RoundingSamples(const Array &exact) : exact(&exact) {}

  /// Adds the result of one more interpretation, which has the same shape.
  void add(Array sample) { samples.push_back(std::move(sample)); }
  /// The largest finite |sample - exact| at an offset; 0 without samples.
  double movement(size_t place) const;
  /// True if `found` passes the test above at the offset `place`. With scale 0, samples are ignored.
  bool explains(size_t place, double found, double limit, double scale = 1) const;

private:
  const Array *exact;
  std::vector<Array> samples;
};

/// The roundings of the samples in order: to nearest, then `draws` random ones.
std::vector<Rounding> sampledRoundings(uint32_t draws = 32);

} // namespace attnc::reference
