//===- Rounding.h - how far rounding moves a result --------------------------------------------------------------===//
//
// What an op gives may be rounded to f32 while the oracle interprets. How far that moves a result says how much of it
// rounding decides: a step of Adam divides gradients that are nothing but rounding by their own size, and which of two
// saturated scores is the larger one is nothing else either.
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
    ToF32,
    Loosely, ///< and up to four units in the last place off, as vectorised functions are; equal numbers stay equal
    TensorsToTf32, ///< each tensor when it is made, and nothing within a formula: more than what products round
  };
  Kind kind = None;
  uint32_t draw = 0; ///< of Loosely: by which of many hashes of the number

  Rounding(Kind kind, uint32_t draw = 0) : kind(kind), draw(draw) {}
};

/// What an op of a formula gives.
double rounded(double value, Rounding rounding);
/// An element of a tensor that was made.
double stored(double value, Rounding rounding);
/// To nearest even.
double toBf16(double value);
double toF16(double value);

} // namespace attnc::reference
