#include "tests/support/TensorCoreSums.h"
#include <cmath>

namespace attnc {

/// Rounds to f32 towards zero.
static float cutOff(double sum) {
  auto near = static_cast<float>(sum);
  return std::isfinite(near) && std::abs(near) > std::abs(sum) ? std::nextafter(near, 0.0f) : near;
}

/// Adds products in the type of the sum.
template <typename Sum> static Sum added(Sum sum, const float *a, const float *b, size_t depth) {
  for (size_t k = 0; k < depth; ++k)
    sum += static_cast<Sum>(a[k]) * b[k];
  return sum;
}

float addProducts(TensorCoreSums how, float sum, const float *a, const float *b, size_t depth) {
  return how == TensorCoreSums::CutOff ? cutOff(added<double>(sum, a, b, depth)) : added(sum, a, b, depth);
}

} // namespace attnc
