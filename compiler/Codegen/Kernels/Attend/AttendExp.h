//===- AttendExp.h - exponential function of attention weights ------------------------------------------------===//
//
//   exp2(x) = 2^floor(x) * P(x - floor(x)),   P of degree 5, minimax for the relative error on [0, 1): 7.5e-8
//
// With rounding the relative error is at most 1.5e-7. Attention weights below 2^-100 of the largest in their row are
// exactly zero: they do not change an f32 sum, and a subnormal result costs 33 times as much as a normal one. NaN stays
// NaN. `Isa::exp2` selects the instruction sequence. With AVX-512 it is one vreduceps, five multiply-adds, a compare
// and one vscalefps. A device has one instruction for the power; it is zero below 2^-126.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/Codegen/Nest/LoopBuilder.h"
#include "compiler/Codegen/Target/Target.h"

namespace attnc {

/// 2^x for a vector of x <= 0.
mlir::Value attendExp2(LoopBuilder &loops, mlir::Value x, const Target &target);

/// log2 e: scores are scaled by it to make exp(s - m) = exp2(x - m').
inline constexpr double log2e = 1.4426950408889634;

} // namespace attnc
