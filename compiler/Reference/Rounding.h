//===- Rounding.h - rounding of what the oracle computes ---------------------------------------------------------===//
//
// The oracle computes in double precision. It can round what each op gives as f32 code may: to nearest, or by Monte
// Carlo arithmetic (D. S. Parker, 1997), some units in the last place off. RoundingSamples.h measures by that how far
// rounding moves a result: a step of Adam divides gradients that are nothing but rounding by their own size, and which
// of two saturated scores is the larger one is nothing else either.
//
// A tensor whose type is bf16 or f16 is rounded to that when it is made, whatever else is: its type says that it is
// stored so, and a result may lose something by that.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace attnc::reference {

struct Rounding {
  enum Kind {
    None,
    ToF32,         ///< what each op gives, to nearest
    Loosely,       ///< as Accuracy says, up to four units in the last place off; equal numbers stay equal
    TensorsToTf32, ///< each tensor when it is made, and nothing within a formula: more than what products round
    TensorsToF16,  ///< the same in f16, which holds numbers up to 65504
  };
  Kind kind = None;
  uint32_t draw = 0; ///< of Loosely: by which of many hashes of the number

  Rounding(Kind kind, uint32_t draw = 0) : kind(kind), draw(draw) {}
};

/// How near to the true result code in f32 comes for one op on numbers of f32.
enum class Accuracy {
  Exact,   ///< it is the true result: one of the operands, a sign, a whole number
  Rounded, ///< it is the true result where f32 holds that: sums and products
  Near,    ///< units in the last place off: quotients and functions, of which each emitter has its own code
};

/// What an op of a formula gives.
double rounded(double value, Rounding rounding, Accuracy accuracy = Accuracy::Near);
/// The residue of a sum of two numbers that were themselves computed, which is added to it. Code may compute one number
/// twice, once rounded and once within a fused multiply-add, or add up its terms in another order. The difference of
/// both shows that, even where the oracle's is 0. Numbers of half the digits of f32 (whole numbers, halves) are exact.
double residueOfSum(double a, double b, Rounding rounding);
/// An element of a tensor that was made.
double stored(double value, Rounding rounding);
/// To nearest even.
double toBf16(double value);
double toF16(double value);

} // namespace attnc::reference
