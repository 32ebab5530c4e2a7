#include "compiler/Reference/Rounding.h"
#include <bit>

double attnc::reference::rounded(double value, Rounding rounding) {
  if (rounding == Rounding::None)
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
