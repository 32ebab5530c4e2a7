//===- VectorRandom.h - vectorised Philox random number generator -------------------------------------------------===//
//
// `attn.uniform` is a random number in [0, 1), a pure function of its operands (its description defines key and
// counter). On scalars or vectors of i32, it becomes ten rounds of Philox4x32 (Salmon et al., SC 2011) in integer
// arithmetic. With the words c0..c3 of the counter, the words k0, k1 of the key, and the constant multipliers a and b,
// a round is
//
//   c0, c1, c2, c3 = high(b c2) ^ c1 ^ k0, low(b c2), high(a c0) ^ c3 ^ k1, low(a c0)
//
// where high and low are the words of a 64-bit product. After each round, two constants are added to the key. With 16
// lanes, a product takes two instructions, and a draw for all lanes takes about 150.
//
// There is a faster form for vectors, if the ops of the operands prove that the lanes are adjacent columns, that the
// other operands are equal in all lanes, and that the number of lanes and the first column are multiples of four. Each
// four lanes then use the four words of one counter. One vector contains the counters of all lanes, as 64-bit numbers
// (c1 c0) and (c3 c2). A round is one product, one exchange of words and one exclusive or of three, and the whole draw
// takes about 50 instructions.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include "dialects/Attn/Attn.h"

namespace attnc {

/// Emits the value of `draw` at the builder's insertion point and returns it: f32, a scalar or a vector of the shape of
/// the operands. It does not replace `draw`; expandMath() (VectorMath.h), the caller, does.
mlir::Value expandUniform(mlir::OpBuilder &builder, mlir::attn::UniformOp draw);

} // namespace attnc
