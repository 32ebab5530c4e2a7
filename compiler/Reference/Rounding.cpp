#include "compiler/Reference/Rounding.h"
#include <bit>
#include <cmath>

double attnc::reference::rounded(double value, Rounding rounding) {
  if (rounding != Rounding::ToF32 && rounding != Rounding::Loosely)
    return value;
  auto single = static_cast<float>(value);
  if (rounding == Rounding::ToF32)
    return single;
  // By the number's own bits, mixed: -4..4 units. What f32 can't tell apart moves apart: two scores near saturation.
  auto bits = std::bit_cast<uint64_t>(value);
  uint32_t mixed = static_cast<uint32_t>(bits ^ (bits >> 32)) ^ (rounding.draw * 2654435761u);
  for (int turn = 0; turn < 2; ++turn)
    mixed = (mixed ^ (mixed >> 15)) * 2654435761u;
  return single * (1.0 + (static_cast<double>(mixed >> 16) / 8192.0 - 4.0) * 0x1p-24);
}

/// To nearest even.
static double toBf16(float value) {
  auto bits = std::bit_cast<uint32_t>(value);
  if (std::isfinite(value))
    bits += 0x7fff + (bits >> 16 & 1);
  return std::bit_cast<float>(bits & 0xffff0000);
}

double attnc::reference::stored(double value, Rounding rounding) {
  if (rounding == Rounding::TensorsToBf16)
    return toBf16(static_cast<float>(value));
  if (rounding == Rounding::TensorsToF16)
    return static_cast<double>(static_cast<_Float16>(value));
  return rounded(value, rounding);
}
