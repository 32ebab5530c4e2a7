#include "compiler/Reference/Rounding.h"
#include <bit>
#include <cmath>

double attnc::reference::rounded(double value, Rounding rounding) {
  if (rounding.kind != Rounding::ToF32 && rounding.kind != Rounding::Loosely)
    return value;
  auto single = static_cast<float>(value);
  if (rounding.kind == Rounding::ToF32)
    return single;
  // By the number's own bits, mixed: -4..4 units. What f32 can't tell apart moves apart: two scores near saturation.
  auto bits = std::bit_cast<uint64_t>(value);
  uint32_t mixed = static_cast<uint32_t>(bits ^ (bits >> 32)) ^ (rounding.draw * 2654435761u);
  for (int turn = 0; turn < 2; ++turn)
    mixed = (mixed ^ (mixed >> 15)) * 2654435761u;
  return single * (1.0 + (static_cast<double>(mixed >> 16) / 8192.0 - 4.0) * 0x1p-24);
}

/// Without the last `dropped` bits of f32, to nearest even.
static double shortened(float value, int dropped) {
  auto bits = std::bit_cast<uint32_t>(value);
  if (std::isfinite(value))
    bits += (1u << (dropped - 1)) - 1 + (bits >> dropped & 1);
  return std::bit_cast<float>(bits >> dropped << dropped);
}

double attnc::reference::stored(double value, Rounding rounding) {
  return rounding.kind == Rounding::TensorsToTf32 ? shortened(static_cast<float>(value), 13) : rounded(value, rounding);
}

double attnc::reference::toBf16(double value) { return shortened(static_cast<float>(value), 16); }
double attnc::reference::toF16(double value) { return static_cast<double>(static_cast<_Float16>(value)); }
