//===- FloatLimits.h - f32 infinity and NaN, for operands of tests ------------------------------------------------===//
#pragma once

#include <limits>

namespace attnc {

inline constexpr float infinity = std::numeric_limits<float>::infinity();
inline constexpr float nan = std::numeric_limits<float>::quiet_NaN();

} // namespace attnc
