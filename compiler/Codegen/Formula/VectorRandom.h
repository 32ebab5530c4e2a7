//===- VectorRandom.h - vectorised Philox random numbers --------------------------------------------------------===//
//
// `attn.uniform` on a scalar or a vector becomes ten rounds of Philox4x32 in integer arithmetic: with the words of the
// counter c and of the key k, and multipliers a, b,
//
//   c0, c1, c2, c3 = high(b c2) ^ c1 ^ k0, low(b c2), high(a c0) ^ c3 ^ k1, low(a c0)
//
// then two constants are added to the key. A 32 by 32 bit product has 64 bits: two instructions for 16 lanes.
// About 150 instructions a vector.
//
// If the lanes are adjacent columns of a row, from a multiple of four on, each four of them use the four words of one
// counter. One vector then contains the counters of all lanes, c1 c0 and c3 c2 as numbers of 64 bits, so that a round
// is one product, one exchange of words and one sum of three: about 50 instructions.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "dialects/Attn/Attn.h"

namespace attnc {

/// The random draw (f32, a scalar or a vector like its operands), emitted at the builder's insertion point.
mlir::Value expandUniform(mlir::OpBuilder &builder, mlir::attn::UniformOp draw);

} // namespace attnc
