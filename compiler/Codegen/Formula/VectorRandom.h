//===- VectorRandom.h - random numbers as arithmetic ----------------------------------------------------------===//
//
// `attn.uniform` on a scalar or a vector becomes ten rounds of Philox4x32 in integer arithmetic: with the words of the
// counter c and of the key k, and multipliers a, b,
//
//   c0, c1, c2, c3 = high(b c2) ^ c1 ^ k0, low(b c2), high(a c0) ^ c3 ^ k1, low(a c0)
//
// then the key is advanced by two constants. A product of 32 by 32 bits is one of 64: two instructions for 16 lanes.
// About 150 instructions a vector.
//
// Where the lanes are neighbours in a row, from a column that four divides, four of them share a counter, and take
// its four words. Then one vector holds the counters of all lanes, c1 c0 and c3 c2 as numbers of 64 bits, so that a
// round is one product, one exchange of words and one sum of three: about 50 instructions.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "dialects/Attn/Attn.h"

namespace attnc {

/// The draw, emitted at the builder's place.
mlir::Value expandUniform(mlir::OpBuilder &builder, mlir::attn::UniformOp draw);

} // namespace attnc
