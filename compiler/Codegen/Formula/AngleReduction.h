//===- AngleReduction.h - argument reduction of sine, cosine and tangent ------------------------------------------===//
//
// x = n pi/2 + r for every finite float x. For |x| <= 2^21, n is the float product x (2/pi), rounded to an integer, and
// the generated code subtracts n times pi/2, where pi/2 is the sum of three floats (Cody and Waite). The product has
// rounding errors, so |r| may exceed pi/4 = 0.785: it is below 0.79 for |x| <= 2^13, and below 0.97 for |x| <= 2^21.
// For larger x the error of the sum of three floats is too large. The code then multiplies x by the significant bits of
// 2/pi as integers (M. Payne, R. Hanek, "Radian reduction for trigonometric functions", SIGNUM Newsletter 18, 1983),
// lane by lane, in a branch that is rarely taken; |r| is then at most pi/4. VectorMath.cpp computes sin, cos and tan
// from the result, by polynomials that are accurate for these r.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Formula/VectorFormula.h"

namespace attnc {

/// r and n of an angle x, in generated code.
struct ReducedAngle {
  VectorFormula::Real remainder; ///< r; NaN if x is infinite or NaN
  VectorFormula::Whole quadrant; ///< n; for |x| > 2^21 only n modulo 4 is right; arbitrary if x is infinite or NaN
};

/// Emits the reduction of x, an angle in radians, at the insertion point of `f`, whose reals must be f32.
ReducedAngle reduceByHalfPi(VectorFormula &f, VectorFormula::Real x);

} // namespace attnc
