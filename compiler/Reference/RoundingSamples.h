//===- RoundingSamples.h - how far rounding moves each element of a result ---------------------------------------===//
//
// Tolerance.h bounds what sums of well-scaled terms are off by. Rounding moves a result by more where formulas amplify
// it (exp(s) by |s|, a sine by its angle, a ratio by the cancellation in its divisor), and by any amount where they
// jump (a truncation, a comparison, a subscript that comes from data). A second bound covers that, by Monte Carlo
// arithmetic: the oracle runs again with rounding drawn at random in each op (Rounding::Loosely), and
//
//   |found - exact| <= limit + scale * max over the samples |sample - exact|
//
// holds element by element. An integer may also be what some sample gives at that place. An infinity or NaN is no
// matter of rounding: it has to be the oracle's.
// A draw moves what an op gives by up to four units in the last place, compiled code mostly by half of one, so some
// samples cover what compiled code does; more are drawn until they explain what was found, or there is a fault.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Reference/Array.h"
#include "compiler/Reference/Rounding.h"

namespace attnc::reference {

class RoundingSamples {
public:
  /// `exact` is the oracle's result, and outlives this.
  explicit RoundingSamples(const Array &exact) : exact(&exact) {}

  /// The result of one more interpretation, of the same shape.
  void add(Array sample) { samples.push_back(std::move(sample)); }
  /// The largest distance from the oracle's number among samples that are numbers too; 0 without any.
  double movement(size_t place) const;
  /// Whether `found` at `place` is what rounding makes of the oracle's number.
  bool explains(size_t place, double found, double limit, double scale = 1) const;

private:
  const Array *exact;
  std::vector<Array> samples;
};

/// How samples are rounded, in the order in which they are drawn: to nearest, then by `draws` draws.
std::vector<Rounding> sampledRoundings(uint32_t draws = 32);

} // namespace attnc::reference
