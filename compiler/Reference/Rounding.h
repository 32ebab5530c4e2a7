//===- Rounding.h - simulated rounding errors of f32 code, by Monte Carlo arithmetic -----------------------------===//
//
// The oracle computes in double precision. It can round the result of each op as f32 code may: to nearest, or by a
// random error of a few units in the last place (Monte Carlo arithmetic: D. S. Parker, 1997). RoundingSamples.h uses
// the random errors to measure how far rounding moves a result. Two examples of large effects: a step of Adam divides a
// gradient that is only rounding error by its own size; rounding decides which of two saturated scores is the larger.
//
// The interpreter rounds a tensor of type bf16 or f16 to its type in every mode, because compiled code stores the
// tensor in that type.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace attnc::reference {

struct Rounding {
  enum Kind {
    None,
    ToF32,         ///< the result of each op, to nearest
    Loosely,       ///< random errors of up to four units in the last place, by Accuracy; equal numbers stay equal
    TensorsToTf32, ///< each result of an op outside formulas: a larger error than tf32 products have
    TensorsToF16,  ///< each result tensor, to f16, whose largest number is 65504
  };
  Kind kind = None;
  uint32_t draw = 0; ///< seed of the random errors of Loosely, which are hashes of seed and number

  Rounding(Kind kind, uint32_t draw = 0) : kind(kind), draw(draw) {}
};

/// Error of one op in f32 code relative to the exact result on f32 operands.
enum class Accuracy {
  Exact,   ///< no error: the result is one of the operands, a change of sign, or an integer
  Rounded, ///< no error if f32 represents the result: sums and products
  Near,    ///< a few units in the last place: quotients and functions, whose code differs between emitters
};

/// The result of an op of a formula, rounded.
double rounded(double value, Rounding rounding, Accuracy accuracy = Accuracy::Near);
/// Simulated error of a sum of two computed numbers; the caller adds it to the sum. Code may compute one number twice:
/// once rounded and once within a fused multiply-add, or with its terms in another order. The difference of both is
/// then not 0, although the oracle's is. The error is 0 if the last 12 bits of the larger number are 0 in f32.
double residueOfSum(double a, double b, Rounding rounding);
/// An element of a result tensor, rounded.
double stored(double value, Rounding rounding);
/// Round to nearest, ties to even.
double toBf16(double value);
double toF16(double value);

} // namespace attnc::reference
