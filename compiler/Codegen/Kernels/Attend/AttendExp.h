//===- AttendExp.h - exponential function of attention weights ----------------------------------------------------===//
//
//   exp2(x) = 2^floor(x) * P(x - floor(x)),   P of degree 5, minimax for the relative error on [0, 1): 7.5e-8
//
// With rounding, the relative error is at most 1.5e-7. The argument is the difference of a score and the row maximum,
// so it is at most 0. On processors the result is exactly 0 for x < -100: such a weight does not change an f32 sum, and
// a subnormal number takes 33 times as long as a normal one. NaN stays NaN. `Isa::exp2` selects the instruction
// sequence. With AVX-512 it is one vreduceps, five multiply-adds, a compare and one vscalefps. A device has one
// instruction, ex2.approx, with a relative error of 2^-22 and the result 0 below 2^-126.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/LoopBuilder.h"
#include "compiler/Codegen/Target/Target.h"

namespace attnc {

/// Emits 2^x for a vector of loops.lanes f32 numbers x <= 0.
mlir::Value attendExp2(LoopBuilder &loops, mlir::Value x, const Target &target);

/// log2 e. Scores s and row maxima m are multiplied by it, because exp(s - m) = exp2(s log2 e - m log2 e).
inline constexpr double log2e = 1.4426950408889634;

} // namespace attnc
