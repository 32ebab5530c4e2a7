//===- Rounding.h - simulated rounding errors of f32 code, by Monte Carlo arithmetic ------------------------------===//
//
// The oracle computes in double precision. It can round the result of each op as f32 code does: to nearest, or with a
// random error of a few units in the last place (Monte Carlo arithmetic: D. S. Parker, 1997). RoundingSamples.h uses
// random errors to measure how far rounding changes a result. Two examples of large effects: Adam may divide a gradient
// that consists of rounding errors by its own magnitude; and rounding may decide which of two nearly equal scores is
// the larger one.
//
// In every mode the interpreter rounds a result of type bf16 or f16 to its type, because compiled code stores it in
// that type.
//
//===------------------------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>

namespace attnc::reference {

/// A mode of simulated rounding.
struct Rounding {
  enum Kind {
    None,          ///< results stay in double precision
    ToF32,         ///< the result of each op is rounded to the nearest f32
    Loosely,       ///< the same with a random error of up to four units in the last place, as Accuracy permits; a
                   ///< subnormal number may instead become 0
    TensorsToTf32, ///< each result of an op outside formulas is rounded to tf32; larger errors than tf32 products have
    TensorsToF16,  ///< each result tensor is rounded to f16, whose largest number is 65504
  };
  Kind kind = None;
  uint32_t draw = 0; ///< seed of Loosely: the error of a number is a hash of the seed and the number

  Rounding(Kind kind, uint32_t draw = 0) : kind(kind), draw(draw) {}
  /// True if the results of ops on scalars are rounded.
  bool isOfScalars() const { return kind == ToF32 || kind == Loosely; }
};

/// Error of one op in f32 code relative to the exact result on f32 operands.
enum class Accuracy {
  Exact,   ///< no error: the result is one of the operands, a change of sign, or an integer
  Rounded, ///< no error if f32 represents the result: sums and products
  Near,    ///< a few units in the last place: quotients and functions, whose code differs between emitters
};

/// Rounds the result of an op in a formula, an f32 in compiled code. Changes `value` only with ToF32 and Loosely.
inline double rounded(double value, Rounding rounding, Accuracy accuracy = Accuracy::Near);
/// The simulated error of the sum a + b of two computed numbers, which the caller adds to the sum. Compiled code may
/// compute the same number twice: once rounded and once within a fused multiply-add, or with its terms in another
/// order. The difference of the two is then not 0, although it is 0 in the oracle. The error is that of the larger
/// number; it is 0 if the last 12 bits of this number are 0 in f32. It is 0 except with Loosely, for every third seed.
inline double residueOfSum(double a, double b, Rounding rounding);
/// Rounds an element of a result of an op outside formulas: to f16 or tf32 with TensorsToF16 and TensorsToTf32, to the
/// nearest f32 with ToF32 and Loosely. Unchanged with None.
double stored(double value, Rounding rounding);

/// rounded() with ToF32 and Loosely, and residueOfSum() with Loosely.
double roundedToF32(double value, Rounding rounding, Accuracy accuracy);
double looseResidueOfSum(double a, double b, Rounding rounding);

// Inline, because the oracle calls them for each op of each element, mostly without rounding.
double rounded(double value, Rounding rounding, Accuracy accuracy) {
  return rounding.isOfScalars() ? roundedToF32(value, rounding, accuracy) : value;
}
double residueOfSum(double a, double b, Rounding rounding) {
  return rounding.kind == Rounding::Loosely ? looseResidueOfSum(a, b, rounding) : 0;
}

} // namespace attnc::reference
