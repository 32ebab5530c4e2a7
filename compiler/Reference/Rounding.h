//===- Rounding.h - simulated rounding errors of f32 code, by Monte Carlo arithmetic ------------------------------===//
//
// The oracle computes in double precision. It can round the result of each op as f32 code does: to nearest, or with a
// random error of a few units in the last place (Monte Carlo arithmetic: D. S. Parker, 1997). RoundingSamples.h
// measures with random errors how far rounding changes a result. Two examples of large effects: a step of Adam divides
// a gradient that consists of rounding error by its own magnitude; rounding decides which of two saturated scores is
// larger.
//
// In every mode the interpreter rounds a tensor of type bf16 or f16 to its type, because compiled code stores it in
// that type.
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
    TensorsToTf32, ///< each result of an op outside formulas, with a larger error than tf32 products have
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

/// Rounds the result of an op of a formula.
double rounded(double value, Rounding rounding, Accuracy accuracy = Accuracy::Near);
/// Simulates the error of a sum of two computed numbers; the caller adds it to the sum. Compiled code may compute the
/// same number twice, once rounded and once within a fused multiply-add, or with its terms in another order. The
/// difference of the two is then not 0, although it is 0 in the oracle. The error is 0 if the last 12 bits of the
/// larger number are 0 in f32.
double residueOfSum(double a, double b, Rounding rounding);
/// Rounds an element of a result tensor.
double stored(double value, Rounding rounding);

} // namespace attnc::reference
