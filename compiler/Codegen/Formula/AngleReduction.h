//===- AngleReduction.h - argument reduction of sine, cosine and tangent ----------------------------------------===//
//
// x = n pi/2 + r with |r| <= pi/4, for every float x. Up to 2^21, pi/2 is the sum of three floats (Cody and Waite).
// Beyond, their error is too large: the significant bits of 2/pi are multiplied as integers (M. Payne, R. Hanek,
// "Radian reduction for trigonometric functions", SIGNUM Newsletter 18, 1983), lane by lane, in a branch that is rarely
// taken.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Formula/VectorFormula.h"

namespace attnc {

/// r and n of an angle x.
struct ReducedAngle {
  VectorFormula::Real remainder; ///< r; NaN for infinities and NaN
  VectorFormula::Whole quadrant; ///< n; beyond 2^21 modulo 4
};

ReducedAngle reduceByHalfPi(VectorFormula &f, VectorFormula::Real x);

} // namespace attnc
