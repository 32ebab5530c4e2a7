//===- RoundingSamples.h - Monte Carlo estimate of the rounding error of each result element ----------------------===//
//
// Tolerance.h bounds the rounding error of sums of well-scaled terms. The error is larger for ill-conditioned formulas
// (exp(s) amplifies by |s|, a sine by its angle, a ratio by the cancellation in its divisor), and unbounded at
// discontinuities (a truncation, a comparison, a subscript computed from data). Monte Carlo arithmetic covers both: the
// oracle runs again with random rounding errors in each op (Rounding::Loosely), and the test is
//
//   |found - exact| <= limit + scale * max over the samples |sample - exact|
//
// for each element of the result `found` of compiled code. Here `exact` is the result of the oracle, and `limit` the
// tolerance of Tolerance.h. An integer must equal the same element of `exact` or of some sample. An infinity or NaN
// must equal that of `exact`. Most samples have errors of up to four units in the last place of each op, compiled code
// mostly half a unit, so few samples suffice. Callers add samples until they explain the difference, up to a maximum.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Reference/Array.h"
#include "compiler/Reference/Rounding.h"

namespace attnc::reference {

/// The samples of one result tensor.
class RoundingSamples {
public:
  /// Starts without samples. `exact` is the oracle's result and must outlive this object.
  explicit RoundingSamples(const Array &exact) : exact(&exact) {}

  /// Adds the same result of one more run of the oracle with rounding.
  void add(Array sample) { samples.push_back(std::move(sample)); }
  /// The largest finite |sample - exact| of the element at the row-major offset `place`; 0 without samples.
  double movement(size_t place) const;
  /// True if `found` passes the test above for the element at the row-major offset `place`. With scale 0, samples are
  /// ignored.
  bool explains(size_t place, double found, double limit, double scale = 1) const;

private:
  const Array *exact;
  std::vector<Array> samples;
};

/// The roundings of the samples, in the order in which callers add them: ToF32, then Loosely with the seeds 0 to
/// `draws` - 1.
std::vector<Rounding> sampledRoundings(uint32_t draws = 32);

} // namespace attnc::reference
