#include "compiler/Reference/Rounding.h"
#include "compiler/ElementTypes/ElementTable.h"
#include <bit>
#include <cmath>

using namespace attnc::reference;

namespace {

uint32_t mixed(uint64_t bits, uint32_t draw) {
  uint32_t hash = static_cast<uint32_t>(bits ^ (bits >> 32)) ^ (draw * 2654435761u);
  for (int round = 0; round < 2; ++round)
    hash = (hash ^ (hash >> 15)) * 2654435761u;
  return hash >> 16;
}

/// Hash of the bits of a double, so that scores near saturation with equal f32 values have different errors. Compiled
/// code computes functions as polynomials and quotients, whose errors at similar arguments are similar and accumulate
/// in sums. In two of three samples, function results with equal leading bits, or with equal exponents, therefore have
/// equal errors.
uint32_t hashOf(double value, uint32_t draw, Accuracy accuracy) {
  constexpr int ignoredBits[] = {0, 44, 52};
  auto bits = std::bit_cast<uint64_t>(value);
  return mixed(accuracy == Accuracy::Near ? bits >> ignoredBits[draw % 3] : bits, draw);
}

/// Adds -4 .. 4 units in the last place. A subnormal number may be flushed to zero. A number whose sum would be
/// infinity or NaN is returned unchanged.
float moved(float single, uint32_t hash) {
  if (single == 0 || !std::isfinite(single))
    return single;
  if (!std::isnormal(single))
    return hash % 2 ? single : 0;
  auto result = std::bit_cast<float>(std::bit_cast<uint32_t>(single) + hash % 9 - 4);
  return std::isfinite(result) ? result : single;
}

} // namespace

double attnc::reference::roundedToF32(double value, Rounding rounding, Accuracy accuracy) {
  auto single = static_cast<float>(value);
  bool isTrue = accuracy == Accuracy::Exact || (accuracy == Accuracy::Rounded && single == value);
  return rounding.kind == Rounding::ToF32 || isTrue ? single : moved(single, hashOf(value, rounding.draw, accuracy));
}

double attnc::reference::looseResidueOfSum(double a, double b, Rounding rounding) {
  // One of three samples has residues; the others show the effect of the other errors alone.
  if (rounding.draw % 3 != 1)
    return 0;
  auto larger = static_cast<float>(std::fabs(a) > std::fabs(b) ? a : b);
  constexpr uint32_t lastHalf = 0xFFF;
  if ((std::bit_cast<uint32_t>(larger) & lastHalf) == 0)
    return 0;
  return moved(larger, hashOf(larger, rounding.draw, Accuracy::Rounded)) - larger;
}

/// Rounds the last `dropped` bits of an f32 away, to nearest even.
static double shortened(float value, int dropped) {
  auto bits = std::bit_cast<uint32_t>(value);
  if (std::isfinite(value))
    bits += (1u << (dropped - 1)) - 1 + (bits >> dropped & 1);
  return std::bit_cast<float>(bits >> dropped << dropped);
}

double attnc::reference::stored(double value, Rounding rounding) {
  if (rounding.kind == Rounding::TensorsToF16)
    return roundTo(llvm::APFloat::IEEEhalf(), value);
  return rounding.kind == Rounding::TensorsToTf32 ? shortened(static_cast<float>(value), 13)
                                                  : rounded(value, rounding, Accuracy::Exact);
}
